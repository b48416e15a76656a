#include "tests/proxy/item_origin.h"

#include <algorithm>

namespace tessera::test {
namespace {

std::string without_quotes(std::string_view json) {
  if (json.size() >= 2 && json.front() == '"') json = json.substr(1, json.size() - 2);
  return std::string(json);
}

}  // namespace

ItemOrigin::Item item(int id, std::string_view version, std::string_view text) {
  const std::string number = std::to_string(id);
  return {number, '"' + std::string(version) + '"',
          R"({"id":)" + number + R"(,"text":")" + std::string(text) + "\"}"};
}

std::string item_config(std::string_view more) {
  return "[[route]]\nname = \"items\"\npath = \"/items\"\n" + std::string(more) + "\n";
}

ItemOrigin::ItemOrigin(std::vector<Item> items)
    : server_([this](const SeenRequest& request) { return answer(request); }) {
  state_.items = std::move(items);
}

void ItemOrigin::change(const std::function<void(State&)>& how) {
  const std::lock_guard lock(mutex_);
  how(state_);
}

std::string ItemOrigin::collection() const {
  const std::lock_guard lock(mutex_);
  return render(state_, nullptr);
}

std::string ItemOrigin::render(const State& state, const std::vector<std::string>* ids) {
  std::string text = state.prefix;
  bool first = true;
  for (const Item& item : state.items) {
    if (ids && std::find(ids->begin(), ids->end(), without_quotes(item.id)) == ids->end()) continue;
    if (!first) text += ',';
    first = false;
    text += item.body;
  }
  return text + state.suffix;
}

ScriptedReply ItemOrigin::answer(const SeenRequest& request) {
  State state;
  {
    const std::lock_guard lock(mutex_);
    state = state_;
  }
  if (state.intercept) {
    if (auto reply = state.intercept(request)) return std::move(*reply);
    const std::lock_guard lock(mutex_);
    state = state_;  // an interception may have changed it
  }
  if (request.kind == Kind::manifest) {
    std::string records;
    for (const Item& item : state.items) {
      records += (records.empty() ? "[" : ",[") + item.id + ',' + item.version + ']';
    }
    ScriptedReply reply = json_reply(
        R"({"schema":")" + state.schema + R"(","records":[)" + records + "]" + state.manifest_extra + "}",
        state.manifest_fields);
    std::erase_if(reply.fields, [](const auto& field) { return field.first == "Content-Type"; });
    reply.fields.emplace_back("Content-Type", kManifestType);
    reply.fields.emplace_back("Vary", "Accept");
    return reply;
  }
  if (request.kind == Kind::records) {
    const auto ids = request.ids();
    return json_reply(render(state, &ids), state.record_fields);
  }
  return json_reply(render(state, nullptr), state.record_fields);
}

}  // namespace tessera::test
