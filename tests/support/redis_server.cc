#include "tests/support/redis_server.h"

#include <chrono>
#include <filesystem>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace tessera::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartLimit{30};
constexpr std::chrono::milliseconds kAnswerLimit{10'000};

// A blocking client, as small as can be.
class Client {
 public:
  explicit Client(const std::string& path) : socket_(Socket::connect_unix(path)) {
    socket_.set_timeout(kAnswerLimit);
  }

  std::vector<std::string> ask(const std::vector<std::string>& words) {
    std::string request = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    if (!socket_.send_all(request)) throw std::runtime_error("redis-server does not take the command");
    std::vector<std::string> reply;
    read_reply(reply);
    return reply;
  }

 private:
  void read_reply(std::vector<std::string>& reply) {
    const std::string line = read_line();
    const std::string rest = line.substr(1);
    switch (line.front()) {
      case '*':
        for (long long left = std::stoll(rest); left > 0; --left) read_reply(reply);
        break;
      case '$':
        reply.push_back(rest == "-1" ? "(nil)" : read_bytes(std::stoull(rest)));
        break;
      case '-':
        reply.push_back("(error) " + rest);
        break;
      default:
        reply.push_back(rest);
    }
  }

  std::string read_line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) fill();
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }

  std::string read_bytes(std::size_t size) {
    while (buffer_.size() < size + 2) fill();
    std::string bytes = buffer_.substr(0, size);
    buffer_.erase(0, size + 2);
    return bytes;
  }

  void fill() {
    const std::string bytes = socket_.receive();
    if (bytes.empty()) throw std::runtime_error("redis-server does not answer");
    buffer_ += bytes;
  }

  Socket socket_;
  std::string buffer_;
};

}  // namespace

RedisServer::RedisServer(Options options) : options_(std::move(options)) {
  if (options_.tcp) port_ = Socket::bind_loopback();
  if (options_.tls) {
    tls_port_ = Socket::bind_loopback();
    make_certificate();
  }
  start();
}

RedisServer::~RedisServer() = default;

std::string RedisServer::password_part() const {
  return options_.password.empty() ? "" : ":" + options_.password + "@";
}

std::string RedisServer::unix_address() const {
  return "unix://" + password_part() + socket_path();
}

std::string RedisServer::tcp_address() const {
  return "redis://" + password_part() + "127.0.0.1:" + std::to_string(port());
}

std::string RedisServer::tls_address() const {
  return "rediss://" + password_part() + "127.0.0.1:" + std::to_string(tls_port());
}

std::string RedisServer::ca_file() const {
  return directory_.file("certificate.pem");
}

void RedisServer::make_certificate() {
  Process openssl("openssl", {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                              "-nodes", "-days", "2", "-subj", "/CN=tessera-test", "-addext",
                              "subjectAltName=" + options_.tls_names, "-keyout", directory_.file("key.pem"),
                              "-out", ca_file()});
  if (openssl.wait() != 0) throw std::runtime_error("openssl makes no certificate: " + openssl.errors());
}

void RedisServer::start() {
  std::vector<std::string> arguments{"--unixsocket", socket_path(),
                                     "--dir",        directory_.path().string(),
                                     "--save",       "",
                                     "--appendonly", "no",
                                     "--bind",       "127.0.0.1",
                                     "--port",       options_.tcp ? std::to_string(port()) : "0"};
  const auto add = [&arguments](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  };
  if (options_.tls) {
    add({"--tls-port", std::to_string(tls_port()), "--tls-auth-clients", "no", "--tls-cert-file", ca_file(),
         "--tls-key-file", directory_.file("key.pem"), "--tls-ca-cert-file", ca_file()});
  }
  if (!options_.password.empty()) add({"--requirepass", options_.password});
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  process_ = std::make_unique<Process>("redis-server", arguments);

  const auto deadline = Clock::now() + kStartLimit;
  for (;;) {
    try {
      if (command({"PING"}) == std::vector<std::string>{"PONG"}) return;
    } catch (const std::runtime_error&) {
      if (Clock::now() < deadline && process_->running()) {
        ::poll(nullptr, 0, 5);
        continue;
      }
    }
    throw std::runtime_error("redis-server does not come up: " + process_->output() + process_->errors());
  }
}

void RedisServer::kill() {
  process_->kill();
}

void RedisServer::stop() {
  process_->terminate();
}

void RedisServer::freeze() {
  process_->freeze();
}

void RedisServer::thaw() {
  process_->thaw();
}

void RedisServer::restart() {
  if (process_) process_->kill();
  std::error_code ignored;
  std::filesystem::remove(socket_path(), ignored);
  start();
}

std::vector<std::string> RedisServer::command(const std::vector<std::string>& words) const {
  Client client(socket_path());
  if (!options_.password.empty()) client.ask({"AUTH", options_.password});
  return client.ask(words);
}

}  // namespace tessera::test
