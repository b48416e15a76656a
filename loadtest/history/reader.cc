#include "loadtest/history/reader.h"

#include <memory>
#include <random>
#include <stdexcept>
#include <utility>

#include "loadtest/clients.h"

namespace tessera::loadtest {
namespace {

constexpr std::size_t kSentences = 5;

// What a reader knows of a view at one proxy: it asks again with If-None-Match now and then.
struct Known {
  std::string tag;
  std::string body;
};

}  // namespace

void ReaderCounts::add(const ReaderCounts& other) {
  reads += other.reads;
  not_modified += other.not_modified;
  failed += other.failed;
  for (const auto& [outcome, count] : other.outcomes) outcomes[outcome] += count;
  for (const std::string& sentence : other.sentences) {
    if (sentences.size() < kSentences) sentences.push_back(sentence);
  }
}

ReaderCounts Reader::run(History& history) {
  std::mt19937_64 random(seed_);
  std::vector<std::unique_ptr<test::Connection>> connections(proxies_.size());
  std::vector<Known> known(proxies_.size() * views().size());
  ReaderCounts counts;
  while (left_.fetch_sub(1) > 0) {
    const std::size_t proxy = random() % proxies_.size();
    const std::size_t view = random() % views().size();
    Known& last = known[proxy * views().size() + view];
    // One name for both proxies, as behind a load balancer: what they cache is shared only between equal
    // hosts.
    test::FieldLines fields{{"Host", "courses.test"}};
    if (!last.tag.empty() && random() % 4 == 0) fields.emplace_back("If-None-Match", last.tag);
    std::unique_ptr<test::Connection>& connection = connections[proxy];
    if (random() % 64 == 0) connection.reset();

    Read read;
    read.view = view;
    read.sent = std::chrono::steady_clock::now();
    test::Reply reply;
    try {
      if (!connection) connection = std::make_unique<test::Connection>(proxies_[proxy]);
      reply = connection->get(views()[view], fields);
    } catch (const std::runtime_error& error) {
      reply.error = error.what();
    }
    read.ended = std::chrono::steady_clock::now();
    ++counts.reads;
    const bool unchanged = reply.status == 304 && fields.size() > 1;
    if (!reply.error.empty() || (reply.status != 200 && !unchanged)) {
      ++counts.failed;
      if (counts.sentences.size() < kSentences) {
        counts.sentences.push_back(views()[view] + ": status " + std::to_string(reply.status) + " " +
                                   reply.error);
      }
      connection.reset();
      continue;
    }
    ++counts.outcomes[outcome_of(reply)];
    if (unchanged) {
      ++counts.not_modified;
    } else {
      last = {reply.field("ETag"), std::move(reply.body)};
    }
    read.observed = observed(reply, last.body);
    read.digest = digest(read.observed);
    read.source = "proxy " + std::to_string(proxy + 1) + " (" + std::to_string(reply.status) + ", " +
                  reply.field("Cache-Status") + ")";
    history.judge(std::move(read));
  }
  return counts;
}

}  // namespace tessera::loadtest
