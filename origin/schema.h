// The tables of the origin's database, and how a new one comes to be.
#pragma once

#include <string>

#include "origin/connection.h"
#include "origin/generator.h"

namespace tessera::origin {

// What prepare_database found.
enum class Found : std::uint8_t {
  nothing,   // the file was empty; it has been filled with the generated data set
  data_set,  // a database of ours; it stays as it is
};

// Makes sure that the connection's database has our tables. A new one is made and filled in one transaction,
// so that it is never found half full. Throws std::runtime_error with a sentence when the file is another
// program's database, or another version of ours. `path` is for that sentence.
Found prepare_database(Connection& connection, const std::string& path, DataSetSize size);

}  // namespace tessera::origin
