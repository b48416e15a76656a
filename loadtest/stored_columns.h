// What it costs to keep documents in a column as YAML, JSON or MessagePack: the original comparison's table.
// Runs in this process, on the origin's own classes and a SQLite file; nothing of it goes over a wire.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::loadtest {

struct ColumnOptions {
  unsigned times = 20;    // of create, and of find
  unsigned latest = 100;  // documents that one find decodes
};

struct ColumnCost {
  std::string_view codec;
  std::string_view operation;  // create: one insert in its transaction; find: the latest, decoded to JSON
  std::chrono::duration<double> user{};
  std::chrono::duration<double> system{};
  std::chrono::duration<double> real{};
  std::chrono::duration<double> in_codec{};  // of user and system together
  std::size_t stored_bytes = 0;              // of one document
};

// All six, each `times` times, after a rehearsal that is as long. Throws std::runtime_error with a sentence
// when something fails, or a document does not come back equal.
std::vector<ColumnCost> measure_columns(const ColumnOptions& options);

// The table, with the original's figures (Ruby) beside ours, each for one operation.
std::string column_table(const std::vector<ColumnCost>& costs, const ColumnOptions& options);

}  // namespace tessera::loadtest
