# check-layers: includes go the way of the dependency graph. check-headers: every header compiles alone.
# check-format: clang-format changes nothing.
set(TESSERA_FOLDERS config json http cache origin proxy tests loadtest)

add_custom_target(check-layers
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/check_layers.sh
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "Includes against the dependency graph")

add_custom_target(check-format
  COMMAND ${PROJECT_SOURCE_DIR}/cmake/check_format.sh
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM COMMENT "Format against .clang-format")

# One generated source a header. They are compiled without optimization and never linked. A header that is new is
# found, without being named here, when the build is configured again.
function(tessera_add_header_check)
  set(sources)
  foreach(folder IN LISTS TESSERA_FOLDERS)
    if(folder STREQUAL "tests" AND NOT TESSERA_TESTS)
      continue()
    endif()
    file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.h)
    foreach(header IN LISTS headers)
      set(source ${PROJECT_BINARY_DIR}/check_headers/${header}.cc)
      if(NOT EXISTS ${source})
        file(WRITE ${source} "#include \"${header}\"\n#include \"${header}\"\n")
      endif()
      list(APPEND sources ${source})
    endforeach()
  endforeach()
  add_library(check-headers OBJECT EXCLUDE_FROM_ALL ${sources})
  target_compile_options(check-headers PRIVATE -O0 -g0)
  target_link_libraries(check-headers PRIVATE
    tessera_options tessera_boost tessera_rapidjson tomlplusplus::tomlplusplus CLI11::CLI11 spdlog::spdlog
    OpenSSL::SSL ZLIB::ZLIB PkgConfig::HIREDIS PkgConfig::SQLITE3 PkgConfig::XXHASH)
  if(TESSERA_TESTS)
    find_package(GTest REQUIRED)
    target_link_libraries(check-headers PRIVATE GTest::gtest GTest::gmock)
  endif()
endfunction()
cmake_language(DEFER CALL tessera_add_header_check)
