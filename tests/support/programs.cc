#include "tests/support/programs.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "tests/support/becomes.h"

namespace tessera::test {
namespace {

std::string url_in(const std::string& line) {
  const std::size_t begin = line.find("http://");
  if (begin == std::string::npos) throw std::runtime_error("no URL in: " + line);
  return line.substr(begin, line.find_first_of(" \t\r\n\x1b", begin) - begin);
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<std::string> proxy_arguments(std::string_view origin, const std::vector<std::string>& added,
                                         std::string_view config, const TemporaryDirectory& directory) {
  std::vector<std::string> all{"--listen",    "127.0.0.1:0", "--admin",
                               "127.0.0.1:0", "--origin",    std::string(origin)};
  if (!config.empty()) all = joined({"--config", directory.write("tessera.toml", config)}, all);
  return joined(all, added);
}

}  // namespace

std::string origin_program() {
  return TESSERA_ORIGIN_PROGRAM;
}
std::string proxy_program() {
  return TESSERA_PROXY_PROGRAM;
}
std::string loadtest_program() {
  return TESSERA_LOADTEST_PROGRAM;
}

OriginProgram::OriginProgram(std::vector<std::string> arguments, unsigned short port)
    : process_(origin_program(), joined({"--listen", "127.0.0.1:" + std::to_string(port)}, arguments)),
      url_(url_in(process_.wait_for_line("listening on"))) {}

Reply OriginProgram::get(std::string_view target, const FieldLines& fields) const {
  return test::get(url(target), fields);
}

Reply OriginProgram::change(std::string_view method, std::string_view target, std::string_view json) const {
  FieldLines fields;
  if (!json.empty()) fields.emplace_back("Content-Type", "application/json");
  return request(method, url(target), fields, std::string(json));
}

std::map<std::string, std::uint64_t> OriginProgram::counters() const {
  const Reply reply = get("/__origin/stats");
  if (!reply.ok()) throw std::runtime_error("the origin gives no statistics");
  // A flat object of numbers: {"name":1,...}.
  std::map<std::string, std::uint64_t> result;
  std::size_t begin = 0;
  while ((begin = reply.body.find('"', begin)) != std::string::npos) {
    const std::size_t end = reply.body.find('"', begin + 1);
    if (end == std::string::npos) break;
    std::size_t value = end + 1;
    while (value < reply.body.size() && (reply.body[value] == ':' || reply.body[value] == ' ')) ++value;
    if (value < reply.body.size() && std::isdigit(static_cast<unsigned char>(reply.body[value])) != 0) {
      result[reply.body.substr(begin + 1, end - begin - 1)] = std::stoull(reply.body.substr(value));
    }
    begin = end + 1;
  }
  return result;
}

ProxyProgram::ProxyProgram(std::string_view origin, std::vector<std::string> arguments,
                           std::string_view config, Environment environment)
    : process_(proxy_program(), proxy_arguments(origin, arguments, config, directory_), environment),
      admin_url_(url_in(process_.wait_for_line("admin on"))),
      url_(url_in(process_.wait_for_line("listening on http://"))) {}

std::string ProxyProgram::tls_authority() {
  constexpr std::string_view kBefore = "listening on https://";
  const auto line = process_.wait_for_line(kBefore);
  return line.substr(line.find(kBefore) + kBefore.size());
}

Reply ProxyProgram::get(std::string_view target, const FieldLines& fields) const {
  return test::get(url(target), fields);
}

bool ProxyProgram::comes_to_hit(std::string_view target, const FieldLines& fields) const {
  return becomes(
      [&] { return get(target, fields).field("Cache-Status").find("tessera; hit") != std::string::npos; });
}

Reply ProxyProgram::admin(std::string_view method, std::string_view target, std::string_view body) const {
  return request(method, admin_url(target), {}, std::string(body));
}

double ProxyProgram::metric(std::string_view name, const std::vector<std::string>& labels) const {
  const Reply reply = test::get(admin_url("/metrics"));
  if (!reply.ok()) throw std::runtime_error("the proxy gives no metrics");
  return sum_metric(reply.body, name, labels);
}

bool ProxyProgram::metric_reaches(double value, std::string_view name,
                                  const std::vector<std::string>& labels) const {
  return becomes([&] { return metric(name, labels) >= value; });
}

double sum_metric(std::string_view text, std::string_view name, const std::vector<std::string>& labels) {
  double sum = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    if (line[name.size()] != '{' && line[name.size()] != ' ') continue;
    bool matches = true;
    for (const std::string& label : labels) matches = matches && line.find(label) != std::string_view::npos;
    if (matches) sum += std::stod(std::string(line.substr(line.rfind(' ') + 1)));
  }
  return sum;
}

}  // namespace tessera::test
