// One thread accepts, and each connection has one for each direction. A pair's sockets are closed, and its
// threads counted, under the gate's mutex; its threads alone use the sockets without it.
#include "tests/support/fault_gate.h"

#include <algorithm>
#include <utility>

namespace tessera::test {

struct FaultGate::Pair {
  Pair(Socket from, Socket to) : client(std::move(from)), server(std::move(to)) {}

  void cut() {
    was_cut = true;
    client.abandon();
    server.abandon();
  }

  Socket client;
  Socket server;
  bool was_cut = false;
  int running = 2;  // threads; the last one closes the sockets
  std::thread up;
  std::thread down;
};

FaultGate::FaultGate(std::uint16_t server_port)
    : listener_(Socket::listen_on_loopback()), server_port_(server_port) {
  acceptor_ = std::thread([this] { accept_all(); });
}

FaultGate::~FaultGate() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stopped_.notify_all();
  }
  listener_.shut_down();
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (auto& pair : pairs_) {
      pair.client.shut_down();
      pair.server.shut_down();
    }
  }
  // Nobody adds pairs any more.
  for (auto& pair : pairs_) {
    pair.up.join();
    pair.down.join();
  }
}

void FaultGate::accept_all() {
  while (auto client = listener_.accept()) {
    auto server = Socket::connect_loopback(server_port_);
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    forget_ended();
    ++connections_;
    if (refused_ || !server) {
      client->abandon();
      continue;
    }
    Pair& pair = pairs_.emplace_back(std::move(*client), std::move(*server));
    pair.up = std::thread([this, &pair] { run(pair, to_server_, pair.client, pair.server); });
    pair.down = std::thread([this, &pair] { run(pair, to_client_, pair.server, pair.client); });
  }
}

// REQUIRES: mutex_ is held.
void FaultGate::forget_ended() {
  std::erase_if(pairs_, [](Pair& pair) {
    if (pair.running > 0) return false;
    pair.up.join();
    pair.down.join();
    return true;
  });
}

void FaultGate::run(Pair& pair, Direction& direction, Socket& from, Socket& to) {
  const bool has_ended = pump(direction, from, to);
  const std::lock_guard lock(mutex_);
  if (!has_ended) {
    pair.cut();
  } else if (!pair.was_cut) {
    // The end of one direction ends both: enough for clients that never half-close.
    pair.client.shut_down();
    pair.server.shut_down();
  }
  if (--pair.running > 0) return;
  pair.client.close();
  pair.server.close();
}

// True when the bytes have ended, false when the connection is to be reset.
bool FaultGate::pump(Direction& direction, Socket& from, Socket& to) {
  std::size_t passed = 0;
  std::size_t generation = 0;
  for (;;) {
    std::string bytes = from.receive();
    if (bytes.empty()) return true;
    Fault fault;
    {
      std::unique_lock lock(mutex_);
      fault = direction.fault;
      if (std::exchange(generation, direction.generation) != direction.generation) passed = 0;
      if (fault.delay.count() > 0 && stopped_.wait_for(lock, fault.delay, [this] { return stopping_; })) {
        return true;
      }
    }
    if (!fault.drop && !forward(fault, passed, std::move(bytes), to)) return false;
  }
}

// False when the connection is to be reset.
bool FaultGate::forward(const Fault& fault, std::size_t& passed, std::string bytes, Socket& to) {
  if (fault.corrupt_at && *fault.corrupt_at >= passed && *fault.corrupt_at < passed + bytes.size()) {
    char& byte = bytes[*fault.corrupt_at - passed];
    byte = static_cast<char>(~byte);
  }
  const bool is_last = fault.cut_after && passed + bytes.size() >= *fault.cut_after;
  if (is_last) bytes.resize(*fault.cut_after - std::min(passed, *fault.cut_after));
  passed += bytes.size();
  bool sent = true;
  if (fault.split) {
    for (const char byte : bytes) sent = sent && to.send_all({&byte, 1});
  } else {
    sent = to.send_all(bytes);
  }
  return sent && !is_last;
}

void FaultGate::set(Direction& direction, const Fault& fault) {
  const std::lock_guard lock(mutex_);
  direction.fault = fault;
  ++direction.generation;
}

void FaultGate::to_client(const Fault& fault) {
  set(to_client_, fault);
}

void FaultGate::to_server(const Fault& fault) {
  set(to_server_, fault);
}

void FaultGate::pass() {
  to_client({});
  to_server({});
}

void FaultGate::refuse(bool refused) {
  const std::lock_guard lock(mutex_);
  refused_ = refused;
}

void FaultGate::cut() {
  const std::lock_guard lock(mutex_);
  for (auto& pair : pairs_) pair.cut();
}

std::size_t FaultGate::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

}  // namespace tessera::test
