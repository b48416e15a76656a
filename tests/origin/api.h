// The origin's resources without a socket: requests go straight to the router.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "origin/database.h"
#include "origin/renderings/registry.h"
#include "origin/router.h"
#include "origin/statistics.h"

namespace tessera::origin::test {

struct Answer {
  int status = 0;
  std::string body;
  http::Fields fields;

  std::string field(std::string_view name) const { return std::string(fields.get(name).value_or("")); }
};

using FieldList = std::vector<std::pair<std::string, std::string>>;

inline constexpr const char* kManifestType = "application/vnd.tessera.manifest+json";

class Api {
 public:
  explicit Api(DataSetSize size = {3, 2}, json::Escape escape = json::Escape::html,
               const std::string& file = ":memory:")
      : file_(file, size), database_(file_), router_(Context{database_, registry_, statistics_, escape}) {}

  Answer send(std::string method, std::string target, const FieldList& fields = {},
              std::string_view body = {}) {
    http::RequestHead head;
    head.method = std::move(method);
    head.target = std::move(target);
    for (const auto& [name, value] : fields) head.fields.add(name, value);
    http::Response response = router_.answer(head, body);
    Answer answer{response.head.status, {}, response.head.fields};
    if (auto* text = std::get_if<std::string>(&response.body)) answer.body = std::move(*text);
    if (auto* none = std::get_if<http::NoBody>(&response.body); none != nullptr && none->length) {
      length_ = *none->length;
    }
    return answer;
  }
  Answer get(std::string target, const FieldList& fields = {}) {
    return send("GET", std::move(target), fields);
  }
  Answer manifest(std::string target) { return get(std::move(target), {{"Accept", kManifestType}}); }
  // With a JSON body.
  Answer change(std::string method, std::string target, std::string_view body) {
    return send(std::move(method), std::move(target), {{"Content-Type", "application/json"}}, body);
  }

  // The Content-Length that the last answer without a body told.
  std::uint64_t length() const { return length_; }
  std::uint64_t counted(Counter counter) const { return statistics_.value(counter); }

  DatabaseFile& file() { return file_; }
  Database& database() { return database_; }
  const Registry& registry() const { return registry_; }

 private:
  DatabaseFile file_;
  Database database_;
  Registry registry_;
  Statistics statistics_;
  Router router_;
  std::uint64_t length_ = 0;
};

// The value of a member "name":"value" of a JSON text, the first that there is; for values without escapes.
inline std::string text_member(const std::string& json, const std::string& name) {
  const std::string start = "\"" + name + "\":\"";
  const std::size_t at = json.find(start);
  if (at == std::string::npos) return {};
  const std::size_t value = at + start.size();
  return json.substr(value, json.find('"', value) - value);
}

}  // namespace tessera::origin::test
