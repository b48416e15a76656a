// The command line of tessera-origin.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "http/server.h"
#include "json/escape.h"
#include "origin/generator.h"

namespace tessera::origin {

struct Options {
  http::Address listen{"127.0.0.1", 3042};
  std::string database = ":memory:";  // or a path
  DataSetSize data_set;               // of a new database
  bool sizes_are_given = false;       // --courses or --slides
  json::Escape escape = json::Escape::html;
  std::size_t threads = 0;  // event loops; 0: one per core
  // What each course of a collection costs on top, of the processor: how a slower framework feels.
  std::chrono::microseconds render_cost{0};
};

struct CommandLine {
  enum class Action {
    run,   // with `options`
    exit,  // print `text` to standard output and end well (--help, --version)
    fail,  // print `text` to standard error and end with status 1
  };
  Action action = Action::run;
  Options options;
  std::string text;
};

// Never throws.
CommandLine read_command_line(int argc, const char* const* argv);

}  // namespace tessera::origin
