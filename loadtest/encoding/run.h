// How fast JSON is encoded, in one process and without a wire: the ways of ways.h on three documents, taking
// turns.
#pragma once

#include <string>

namespace tessera::loadtest {

struct EncodeRunOptions {
  std::string file;      // a JSON document to use for the tweets; none: the generated one
  unsigned rounds = 15;  // in each of them every way is measured once
  unsigned slice_ms = 40;
};

// Prints a table for each document. Exit status: 0; 1 when two ways differ in a byte that they should not; 2
// when it could not run.
int run_encode(const EncodeRunOptions& options);

}  // namespace tessera::loadtest
