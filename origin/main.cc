// tessera-origin: builds the objects, runs them, and ends them in order.
#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <vector>

#include "http/event_loops.h"
#include "origin/database.h"
#include "origin/options.h"
#include "origin/worker.h"

namespace {

using namespace tessera::origin;
namespace http = tessera::http;

constexpr std::chrono::seconds kGrace{10};  // for running exchanges when we are asked to end

using Workers = std::vector<std::unique_ptr<Worker>>;

// All workers listen on one port; when that is "any free one", the first decides.
Workers make_workers(const http::EventLoops& loops, http::Address address, const Shared& shared) {
  Workers workers;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    workers.push_back(std::make_unique<Worker>(loops.executor(i), address, shared));
    address = workers.front()->local_address();
  }
  return workers;
}

void run(const Options& options) {
  std::atomic<std::size_t> running{0};  // outlives the loops, which call what uses it
  bool is_stopping = false;
  Workers workers;
  http::EventLoops loops(options.threads);
  // Before the database: from here on a signal waits for the loops to run, so that temporary files are
  // removed.
  loops.on_termination([&] {
    if (std::exchange(is_stopping, true)) return loops.stop();
    for (const auto& worker : workers) {
      worker->stop(kGrace, [&] {
        if (running.fetch_sub(1) == 1) loops.stop();
      });
    }
  });
  DatabaseFile file(options.database, options.data_set);
  if (file.found() == Found::data_set && options.sizes_are_given) {
    std::cerr << options.database << " holds its data already: --courses and --slides change nothing\n";
  }
  const Registry registry;
  Statistics statistics;
  workers = make_workers(loops, options.listen,
                         Shared{file, registry, statistics, options.escape, options.render_cost});
  running = workers.size();
  for (const auto& worker : workers) worker->start();
  std::cerr << "listening on http://" << http::to_string(workers.front()->local_address()) << std::endl;
  loops.run();
  workers.clear();
}

}  // namespace

int main(int argc, char** argv) {
  const CommandLine line = read_command_line(argc, argv);
  switch (line.action) {
    case CommandLine::Action::exit:
      std::cout << line.text;
      return 0;
    case CommandLine::Action::fail:
      std::cerr << "tessera-origin: " << line.text << '\n';
      return 1;
    case CommandLine::Action::run:
      break;
  }
  try {
    run(line.options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "tessera-origin: " << error.what() << '\n';
    return 1;
  }
}
