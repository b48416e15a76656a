# What every target is compiled with: warnings as errors, and the preset's sanitizer.
add_library(tessera_options INTERFACE)
target_compile_features(tessera_options INTERFACE cxx_std_20)
target_include_directories(tessera_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tessera_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tessera_options INTERFACE -fcoroutines)
  # GCC reports these inside Boost's and the standard library's own inlined code at -O2, not in ours.
  target_compile_options(tessera_options INTERFACE
    -Wno-maybe-uninitialized -Wno-dangling-pointer -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread
    -Wno-free-nonheap-object -Wno-restrict -Wno-mismatched-new-delete)
endif()

set(TESSERA_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize= takes them")
if(TESSERA_SANITIZE)
  target_compile_options(tessera_options INTERFACE -fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tessera_options INTERFACE -fsanitize=${TESSERA_SANITIZE})
  if(TESSERA_SANITIZE MATCHES "undefined")
    target_compile_options(tessera_options INTERFACE -fno-sanitize-recover=all)
  endif()
  if(TESSERA_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(tessera_options INTERFACE -Wno-tsan)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Coroutine frames are called through pointers that this check does not understand.
    target_compile_options(tessera_options INTERFACE -fno-sanitize=function)
  endif()
endif()

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE)
  # Paths relative to the checkout, so that a clone in another folder finds what this one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${TESSERA_CCACHE})
endif()
