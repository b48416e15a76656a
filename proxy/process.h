// The running proxy: event loops, listeners, signals; what there is from the start to the end of the process.
#pragma once

#include <functional>
#include <memory>

#include "config/load.h"

namespace tessera::proxy {

// Reads the settings from wherever they are, again whenever it is called.
using Load = std::function<config::CommandLine()>;

class Process {
 public:
  // Opens the listeners and builds everything; throws std::exception with a sentence. `load` is asked again
  // on SIGHUP.
  Process(config::Settings settings, Load load);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Serves until a signal, or a successor, ends it.
  //   SIGHUP   reads the settings anew, and opens the access log anew
  //   SIGUSR1  opens the access log anew
  //   SIGTERM  /readyz fails, connections are still accepted for limits.drain_delay, answers say Connection:
  //            close; then running requests have limits.drain
  //   SIGINT   the same without the delay; a second of either ends at once
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::proxy
