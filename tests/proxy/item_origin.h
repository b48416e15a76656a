// A scripted origin that keeps the origin contract for a list of items, and whose state a test changes as it
// likes.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/programs.h"
#include "tests/support/scripted_origin.h"

namespace tessera::test {

// Thread-safe.
class ItemOrigin {
 public:
  struct Item {
    std::string id;       // as JSON: "1" or "\"1\""
    std::string version;  // as JSON: "\"v1\"", or "null"
    std::string body;     // the record, as JSON
  };
  struct State {
    std::vector<Item> items;
    std::string schema = "s1";
    std::string manifest_extra;  // more members of the manifest: `,"audience":"a"`
    std::string prefix = R"({"items":[)";
    std::string suffix = "]}";
    FieldLines manifest_fields;  // besides Vary: Accept
    FieldLines record_fields;
    // Called before the standard answer is made; a reply that it gives is sent instead.
    std::function<std::optional<ScriptedReply>(const SeenRequest&)> intercept;
  };

  explicit ItemOrigin(std::vector<Item> items);

  void change(const std::function<void(State&)>& how);
  // The collection that the origin would render now.
  std::string collection() const;

  ScriptedOrigin& server() { return server_; }
  std::string url() const { return server_.url(); }
  std::size_t manifests() const { return server_.calls(Kind::manifest); }
  std::size_t records() const { return server_.calls(Kind::records); }
  std::size_t collections() const { return server_.calls(Kind::collection); }

 private:
  ScriptedReply answer(const SeenRequest& request);
  static std::string render(const State& state, const std::vector<std::string>* ids);

  mutable std::mutex mutex_;
  State state_;
  ScriptedOrigin server_;
};

// An item with the text of its number: {"id":1,"text":"one"}.
ItemOrigin::Item item(int id, std::string_view version, std::string_view text);

// A configuration with one route in front of it, and more lines for that route.
std::string item_config(std::string_view more = "");

}  // namespace tessera::test
