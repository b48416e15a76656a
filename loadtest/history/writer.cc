#include "loadtest/history/writer.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tessera::loadtest {
namespace {

std::size_t below(std::mt19937_64& random, std::size_t limit) {
  return random() % limit;
}

// Text that needs every kind of escaping, sometimes; never the same twice in practice.
std::string random_text(std::mt19937_64& random) {
  static const char* const kParts[] = {"tune",           "granite",       "<b>&amp;</b>", "sails",
                                       "\\\"quoted\\\"", "caf\u00e9",     "\u2028",       "harbor",
                                       "back\\\\slash",  "\\u0001tab\\t", "\U0001f600",   "borrow"};
  std::string text = std::to_string(random() % 1'000'000);
  const std::size_t words = below(random, 6);
  for (std::size_t i = 0; i < words; ++i) text.append(" ").append(kParts[below(random, std::size(kParts))]);
  return text;
}

std::string course_members(std::mt19937_64& random) {
  static const char* const kPublished[] = {"true", "true", "true", "false", "null"};
  switch (below(random, 4)) {
    case 0:
      return "\"minutes\":" + std::to_string(below(random, 500));
    case 1:
      return std::string("\"published\":") + kPublished[below(random, std::size(kPublished))];
    default:
      return "\"title\":\"" + random_text(random) + "\"";
  }
}

// The id of what a POST made: the last segment of its Location.
std::string made_id(const test::Reply& reply) {
  const std::string location = reply.field("Location");
  if (location.empty()) throw std::runtime_error("the origin's answer to a POST has no Location");
  return location.substr(location.rfind('/') + 1);
}

}  // namespace

Writer::Writer(const std::string& origin_url, const ConsistencyOptions& options)
    : options_(options), connection_(origin_url) {
  for (unsigned id = 1; id <= options.courses; ++id) courses_.push_back(std::to_string(id));
  for (unsigned id = 1; id <= options.courses * options.slides; ++id) slides_.push_back(std::to_string(id));
}

std::vector<std::string> Writer::observe() {
  std::vector<std::string> result;
  std::string revision;
  for (const std::string& view : views()) {
    const test::Reply reply = connection_.get(view);
    if (!reply.ok()) throw std::runtime_error("the origin does not answer " + view + " " + reply.error);
    const std::string now = reply.field("Tessera-Revision");
    if (now.empty()) throw std::runtime_error("the origin sends no Tessera-Revision");
    if (!revision.empty() && now != revision) throw std::runtime_error("somebody else changes the origin");
    revision = now;
    result.push_back(observed(reply, reply.body));
  }
  return result;
}

void Writer::run(History& history, std::uint64_t seed, const std::atomic<bool>& stop) {
  Random random(seed);
  while (!stop) {
    {
      const std::lock_guard lock(mutex_);
      history.begin_write();
      change(random);
      const Moment answered = std::chrono::steady_clock::now();
      history.end_write(answered, observe());
    }
    // Not a wait for something: the rhythm of the writes, from the seed.
    std::this_thread::sleep_for(std::chrono::microseconds(below(random, options_.write_pause_us + 1)));
  }
}

std::map<std::string, std::size_t> Writer::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Writer::change(Random& random) {
  const std::size_t kind = below(random, 100);
  if (kind < 35) return change_course(random);
  if (kind < 65) return change_slide(random);
  if (kind < 85) return change_several(random);
  if (kind < 90) return courses_.size() < 2 * options_.courses ? add_course(random) : remove_course(random);
  if (kind < 94)
    return courses_.size() > options_.courses / 2 + 1 ? remove_course(random) : add_course(random);
  if (kind < 97) return add_slide(random);
  return remove_slide(random);
}

test::Reply Writer::send(const char* kind, std::string method, std::string target, std::string body) {
  test::Call call;
  call.method = std::move(method);
  call.target = std::move(target);
  call.body = std::move(body);
  call.fields = {{"Content-Type", "application/json"}};
  test::Reply reply = connection_.send(call);
  // A slide may be gone with its course: its 404 is a change that changes nothing.
  if (!reply.error.empty() || (reply.status / 100 != 2 && reply.status != 404)) {
    throw std::runtime_error("the origin refuses " + call.method + " " + call.target + " " + call.body +
                             ": " + std::to_string(reply.status) + " " + reply.error + reply.body);
  }
  ++counts_[kind];
  return reply;
}

void Writer::change_course(Random& random) {
  const std::string& id = courses_[below(random, courses_.size())];
  send("course changed", "PATCH", "/courses/" + id, "{" + course_members(random) + "}");
}

void Writer::change_slide(Random& random) {
  if (slides_.empty()) return add_slide(random);
  const std::string& id = slides_[below(random, slides_.size())];
  send("slide changed", "PATCH", "/slides/" + id, "{\"content\":\"" + random_text(random) + "\"}");
}

void Writer::change_several(Random& random) {
  std::string list = "[";
  const std::size_t count = 2 + below(random, 4);
  for (std::size_t first = below(random, courses_.size()), i = 0; i < std::min(count, courses_.size()); ++i) {
    const std::string& id = courses_[(first + i * 7) % courses_.size()];
    if (list.find("\"id\":\"" + id + "\"") != std::string::npos) continue;
    if (list.size() > 1) list += ",";
    list += "{\"id\":\"" + id + "\"," + course_members(random) + "}";
  }
  send("several courses changed in one transaction", "PATCH", "/courses", list + "]");
}

void Writer::add_course(Random& random) {
  const test::Reply reply =
      send("course added", "POST", "/courses",
           "{\"title\":\"" + random_text(random) + "\",\"minutes\":7,\"published\":true}");
  courses_.push_back(made_id(reply));
}

void Writer::remove_course(Random& random) {
  const std::size_t which = below(random, courses_.size());
  send("course removed", "DELETE", "/courses/" + courses_[which], "");
  std::swap(courses_[which], courses_.back());
  courses_.pop_back();
}

void Writer::add_slide(Random& random) {
  const std::string& course = courses_[below(random, courses_.size())];
  const test::Reply reply = send("slide added", "POST", "/courses/" + course + "/slides",
                                 "{\"content\":\"" + random_text(random) + "\",\"order\":9}");
  if (reply.status != 404) slides_.push_back(made_id(reply));
}

void Writer::remove_slide(Random& random) {
  if (slides_.size() < options_.courses) return add_slide(random);
  const std::size_t which = below(random, slides_.size());
  send("slide removed", "DELETE", "/slides/" + slides_[which], "");
  std::swap(slides_[which], slides_.back());
  slides_.pop_back();
}

}  // namespace tessera::loadtest
