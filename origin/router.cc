#include "origin/router.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "json/codec.h"
#include "origin/handlers/refusal.h"
#include "origin/negotiation.h"
#include "origin/selection.h"

namespace tessera::origin {
namespace {

constexpr std::string_view kStatisticsPath = "/__origin/stats";

struct Method {
  std::string_view name;
  std::function<http::Response()> answer;
};

// Calls the method that the request names; HEAD is GET. Another method: 405 with those that there are.
http::Response dispatch(const http::RequestHead& head, std::initializer_list<Method> methods) {
  const std::string_view wanted = head.method == "HEAD" ? std::string_view("GET") : head.method;
  std::string allowed;
  for (const Method& method : methods) {
    if (method.name == wanted) return method.answer();
    if (!allowed.empty()) allowed += ", ";
    allowed += method.name == "GET" ? "GET, HEAD" : method.name;
  }
  http::Response response = to_response({405, "this resource answers to " + allowed});
  response.head.fields.set("Allow", allowed);
  return response;
}

http::Response not_found() {
  return to_response({404, "there is no such resource"});
}

// "/courses/7/jbuilder" has three segments. Empty when the path does not begin with a slash.
std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> segments;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    segments.push_back(path.substr(0, path.find('/')));
    path.remove_prefix(segments.back().size());
  }
  return segments;
}

}  // namespace

Router::Router(const Context& context)
    : context_(context),
      collections_(context_),
      manifests_(context_),
      records_(context_),
      courses_(context_),
      slides_(context_),
      articles_(context_) {}

http::Response Router::answer(const http::RequestHead& head, std::string_view body) const {
  if (head.path() != kStatisticsPath) context_.statistics.add(Counter::requests);
  http::Response response = find(head, body);
  if (const auto* text = std::get_if<std::string>(&response.body); text != nullptr && head.method == "HEAD") {
    response.body = http::NoBody{text->size()};
  }
  return response;
}

http::Response Router::find(const http::RequestHead& head, std::string_view body) const {
  if (head.path() == kStatisticsPath) return statistics(head);
  const std::vector<std::string_view> segments = split_path(head.path());
  const std::string_view root = segments.empty() ? std::string_view() : segments[0];
  if (root == "courses") {
    if (segments.size() == 1) return courses(head, body);
    if (segments.size() == 2) return course(head, body, segments[1]);
    if (segments.size() == 3) return course_part(head, body, segments[1], segments[2]);
  }
  if (root == "articles") {
    if (segments.size() == 2) return articles(head, body, segments[1]);
    if (segments.size() == 3) return article(head, segments[1], segments[2]);
  }
  if (root == "slides" && segments.size() == 2) return slide(head, body, segments[1]);
  return not_found();
}

http::Response Router::courses(const http::RequestHead& head, std::string_view body) const {
  return dispatch(head, {{"POST", [&] { return courses_.create(head, body); }},
                         {"PATCH", [&] { return courses_.change_many(head, body); }}});
}

http::Response Router::course(const http::RequestHead& head, std::string_view body,
                              std::string_view name) const {
  if (name == "manifest") return dispatch(head, {{"GET", [&] { return manifests_.get_common(head); }}});
  if (const Rendering* rendering = context_.registry.find(name)) {
    return dispatch(head, {{"GET", [&] {
                              return prefers_manifest(head.fields) ? manifests_.get(head, *rendering)
                                                                   : collections_.get(head, *rendering);
                            }}});
  }
  const std::optional<std::int64_t> id = parse_id(name);
  if (!id) return not_found();
  return dispatch(head, {{"GET", [&] { return courses_.get(head, *id); }},
                         {"PATCH", [&] { return courses_.change(head, body, *id); }},
                         {"DELETE", [&] { return courses_.remove(*id); }}});
}

http::Response Router::course_part(const http::RequestHead& head, std::string_view body,
                                   std::string_view id_text, std::string_view part) const {
  const std::optional<std::int64_t> id = parse_id(id_text);
  if (!id) return not_found();
  if (part == "slides") return dispatch(head, {{"POST", [&] { return slides_.create(head, body, *id); }}});
  const Rendering* rendering = context_.registry.find(part);
  if (rendering == nullptr) return not_found();
  return dispatch(head, {{"GET", [&] { return records_.get(head, *id, *rendering); }}});
}

http::Response Router::slide(const http::RequestHead& head, std::string_view body,
                             std::string_view id_text) const {
  const std::optional<std::int64_t> id = parse_id(id_text);
  if (!id) return not_found();
  return dispatch(head, {{"GET", [&] { return slides_.get(head, *id); }},
                         {"PATCH", [&] { return slides_.change(head, body, *id); }},
                         {"DELETE", [&] { return slides_.remove(*id); }}});
}

http::Response Router::articles(const http::RequestHead& head, std::string_view body,
                                std::string_view codec_name) const {
  const json::Codec* codec = json::find_codec(codec_name);
  if (codec == nullptr) return not_found();
  return dispatch(head, {{"GET", [&] { return articles_.get_collection(head, *codec); }},
                         {"POST", [&] { return articles_.create(head, body, *codec); }}});
}

http::Response Router::article(const http::RequestHead& head, std::string_view codec_name,
                               std::string_view name) const {
  const json::Codec* codec = json::find_codec(codec_name);
  if (codec == nullptr) return not_found();
  if (name == "manifest")
    return dispatch(head, {{"GET", [&] { return articles_.get_manifest(head, *codec); }}});
  const std::optional<std::int64_t> id = parse_id(name);
  if (!id) return not_found();
  return dispatch(head, {{"GET", [&] { return articles_.get(head, *codec, *id); }},
                         {"DELETE", [&] { return articles_.remove(*codec, *id); }}});
}

http::Response Router::statistics(const http::RequestHead& head) const {
  return dispatch(head, {{"GET", [&] {
                            http::Response response;
                            response.head.fields.set("Content-Type", kJson);
                            response.head.fields.set("Cache-Control", "no-store");
                            response.body = context_.statistics.to_json();
                            return response;
                          }}});
}

}  // namespace tessera::origin
