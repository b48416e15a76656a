// Where a running process hands its listening sockets over to the one that replaces it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

namespace tessera::http {

// On one event loop. Only a process of the same user (or root) is given anything.
class Handover {
 public:
  // Name and descriptor of each listening socket; empty: there is nothing to give any more.
  using Sockets = std::function<std::vector<std::pair<std::string, int>>()>;

  // Puts a unix socket at `path`, in the place of what is there. Throws std::runtime_error when it cannot.
  // `taken` is called once, when a process that has got the sockets says that it accepts; one that has not
  // said so within `patience` is no longer waited for.
  Handover(boost::asio::any_io_executor executor, std::string path, Sockets sockets,
           std::function<void()> taken, std::chrono::milliseconds patience = std::chrono::seconds(30));
  ~Handover();  // REQUIRED: close() was called, or the event loop no longer runs
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  void start();
  // Takes the unix socket away, unless a successor has put its own there.
  void close();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::http
