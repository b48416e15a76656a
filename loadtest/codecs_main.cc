// tessera-codecs: the table of stored columns.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "loadtest/sample_document.h"
#include "loadtest/stored_columns.h"

int main(int argc, char** argv) {
  using namespace tessera::loadtest;
  CLI::App app("Documents in a column as YAML, JSON and MessagePack: what storing and finding them costs.",
               "tessera-codecs");
  ColumnOptions options;
  app.add_option("--times", options.times, "inserts of each codec, and finds")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    std::printf(
        "a document of %zu bytes of JSON; %u times create (one insert), %u times find (the latest %u)\n",
        kSampleBytes, options.times, options.times, options.latest);
    std::fflush(stdout);
    std::fputs(column_table(measure_columns(options), options).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-codecs: %s\n", error.what());
  }
  return 1;
}
