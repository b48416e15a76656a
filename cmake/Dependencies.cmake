# Debian packages only: nothing is downloaded or vendored.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS url)  # Asio, Beast, System and the containers are headers; URL is a library
find_package(OpenSSL 3 REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(HIREDIS REQUIRED IMPORTED_TARGET hiredis>=0.14)
pkg_check_modules(SQLITE3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(YAML_CPP REQUIRED IMPORTED_TARGET yaml-cpp>=0.7)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus QUIET)
if(NOT tomlplusplus_FOUND)
  pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
  add_library(tomlplusplus::tomlplusplus ALIAS PkgConfig::TOMLPLUSPLUS)
endif()
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)

# Asio's and Beast's bodies are compiled once; every other file sees declarations only.
add_library(tessera_boost STATIC ${PROJECT_SOURCE_DIR}/cmake/boost_bodies.cc)
target_link_libraries(tessera_boost PUBLIC Boost::headers Threads::Threads OpenSSL::SSL PRIVATE tessera_options)
target_compile_definitions(tessera_boost PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_BEAST_SEPARATE_COMPILATION)

add_library(tessera_rapidjson INTERFACE)
target_include_directories(tessera_rapidjson SYSTEM INTERFACE ${RAPIDJSON_INCLUDE_DIR})
