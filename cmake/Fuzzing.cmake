# libFuzzer targets (needs clang++): every object is built with coverage, and each x_fuzz.cc becomes a program x_fuzz.
# Run one as `json/slicer_fuzz NEW_CORPUS tests/corpus/slicer`.
include_guard(GLOBAL)
target_compile_options(tessera_options INTERFACE -fsanitize=fuzzer-no-link)
# RapidJSON's stack adds an offset to the null pointer that it starts with, only to compare.
target_compile_options(tessera_rapidjson INTERFACE -fno-sanitize=pointer-overflow)

function(tessera_fuzz_target name)
  add_executable(${name} ${name}.cc)
  target_compile_definitions(${name} PRIVATE TESSERA_FUZZ)
  target_link_libraries(${name} PRIVATE ${ARGN})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
