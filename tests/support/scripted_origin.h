// An HTTP/1 origin inside the test, for what a real one does not do on command: stall, stop after N bytes,
// reset, talk nonsense, declare a wrong length. It records every request it sees.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/gate.h"
#include "tests/support/http_request.h"

namespace tessera::test {

// What a request asks for, in the words of the origin contract.
enum class Kind {
  manifest,    // Accept names the manifest's media type, or the path ends in /manifest
  records,     // the query holds ids=
  collection,  // any other GET or HEAD
  other,       // any other method
};

inline constexpr std::string_view kManifestType = "application/vnd.tessera.manifest+json";

struct SeenRequest {
  Kind kind = Kind::other;
  std::string method;
  std::string target;  // as it came
  std::string version;
  FieldLines fields;
  std::string body;
  std::size_t number = 0;      // 1 for the first request of all
  std::size_t connection = 0;  // 1 for the first connection

  std::string path() const { return target.substr(0, target.find('?')); }
  std::string field(std::string_view name) const { return find_field(fields, name).value_or(""); }
  bool has(std::string_view name) const { return find_field(fields, name).has_value(); }
  // The value of a query parameter as it stands in the target, not decoded; nullopt when it is absent.
  std::optional<std::string> parameter(std::string_view name) const;
  // The elements of ids=, not decoded.
  std::vector<std::string> ids() const;
};

// How a request is answered. Only `status` and `body` matter most of the time.
struct ScriptedReply {
  enum class Framing { length, chunked, until_close };

  int status = 200;
  FieldLines fields;
  std::string body;
  Framing framing = Framing::length;
  std::optional<std::size_t> declared_length;  // a Content-Length that lies
  std::string interim;                         // sent before all else: "HTTP/1.1 103 Early Hints\r\n\r\n"
  std::optional<std::string> raw;              // sent instead of a response, as it is
  std::shared_ptr<Gate> pause_at;              // waits at this gate ...
  std::size_t pause_after = 0;                 // ... when so many bytes of the response have been sent
  std::optional<std::size_t> cut_after;        // closes the connection after so many bytes
  bool reset = false;                          // and does so with a TCP reset
  bool close = false;                          // Connection: close, and closes
};

// A JSON answer.
ScriptedReply json_reply(std::string body, FieldLines fields = {});
// A manifest of the contract: {"schema":...,"records":[[id,version],...]}; ids and versions are JSON texts
// ("\"1\"").
ScriptedReply manifest_reply(std::string_view schema,
                             const std::vector<std::pair<std::string, std::string>>& records,
                             FieldLines fields = {});

// Thread-safe. The script runs on the thread of the connection that brought the request, several at once: it
// may wait at a Gate. One connection answers its requests in order.
class ScriptedOrigin {
 public:
  using Script = std::function<ScriptedReply(const SeenRequest&)>;

  explicit ScriptedOrigin(Script script);  // listens on a free port of 127.0.0.1
  // Open every gate of the script first: the destructor waits for the running answers.
  ~ScriptedOrigin();
  ScriptedOrigin(const ScriptedOrigin&) = delete;
  ScriptedOrigin& operator=(const ScriptedOrigin&) = delete;

  std::string url() const;         // "http://127.0.0.1:PORT"
  void set_script(Script script);  // for requests from now on

  std::vector<SeenRequest> requests() const;
  std::vector<SeenRequest> requests(Kind kind) const;
  std::size_t calls() const;
  std::size_t calls(Kind kind) const;
  std::size_t connections() const;  // accepted so far
  void forget();                    // forgets the requests seen so far

  // Waits until that many requests of the kind have come; false when they have not within Gate::kLimit.
  bool wait_for_calls(Kind kind, std::size_t count) const;

  void refuse();  // closes the listening socket and every connection: connecting fails from now on
  void accept();  // listens on the same port again

 private:
  struct Peer;

  void listen();
  void accept_loop();
  void serve(Peer& peer);
  bool answer(Peer& peer, const ScriptedReply& reply, const SeenRequest& request);
  std::optional<SeenRequest> read_request(Peer& peer);
  void cut_peers();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Script script_;
  std::vector<SeenRequest> seen_;
  std::size_t numbered_ = 0;
  std::size_t accepted_ = 0;
  std::list<std::unique_ptr<Peer>> peers_;
  unsigned short port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::thread acceptor_;
};

}  // namespace tessera::test
