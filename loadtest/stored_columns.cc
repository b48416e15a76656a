#include "loadtest/stored_columns.h"

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <sys/resource.h>

#include "json/codec.h"
#include "loadtest/sample_document.h"
#include "origin/article_changes.h"
#include "origin/article_queries.h"
#include "origin/database.h"
#include "tests/support/temporary.h"

namespace tessera::loadtest {
namespace {

using Seconds = std::chrono::duration<double>;

// User seconds of the comparison that this one follows: 10,000 operations on Ruby.
struct Original {
  std::string_view codec;
  double create;
  double find;
};
constexpr Original kOriginals[] = {{"yaml", 194.3, 1443}, {"json", 50.6, 394}, {"msgpack", 15.2, 75.6}};
constexpr double kOriginalTimes = 10'000;

double original_seconds(const ColumnCost& cost) {
  for (const Original& original : kOriginals) {
    if (original.codec != cost.codec) continue;
    return (cost.operation == "create" ? original.create : original.find) / kOriginalTimes;
  }
  return 0;
}

Seconds seconds_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

Seconds thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Adds what passes between its construction and its end to a cost.
class Stopwatch {
 public:
  explicit Stopwatch(ColumnCost& cost) : cost_(cost) { getrusage(RUSAGE_SELF, &before_); }
  ~Stopwatch() {
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    cost_.user += seconds_of(after.ru_utime) - seconds_of(before_.ru_utime);
    cost_.system += seconds_of(after.ru_stime) - seconds_of(before_.ru_stime);
    cost_.real += std::chrono::steady_clock::now() - began_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  ColumnCost& cost_;
  rusage before_{};
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

void require(bool holds, const json::Codec& codec, const std::string& what) {
  if (!holds) throw std::runtime_error(std::string(codec.name()) + ": " + what);
}

void create(origin::Database& database, const json::Codec& codec, const std::string& document,
            ColumnCost& cost) {
  const Seconds before = thread_time();
  const json::Result<std::string> stored = codec.encode(document);
  cost.in_codec += thread_time() - before;
  require(stored.has_value(), codec, "the document cannot be stored");
  cost.stored_bytes = stored->size();
  origin::WriteTransaction transaction(database.connection(), database.writers());
  require(origin::ArticleChanges(transaction).create(codec, *stored).has_value(), codec, "the insert failed");
  require(transaction.commit().has_value(), codec, "the commit failed");
}

void find(origin::Database& database, const json::Codec& codec, std::int64_t latest, ColumnCost& cost) {
  const origin::ReadTransaction transaction(database.connection());
  origin::ArticleSelection selection;
  selection.limit = latest;
  std::int64_t found = 0;
  json::Writer json(json::Escape::none);
  json.begin_array();
  const auto decode = [&](const origin::Article& article) -> origin::Checked<void> {
    const Seconds before = thread_time();
    const json::Result<void> decoded = codec.decode(article.body, json);
    cost.in_codec += thread_time() - before;
    require(decoded.has_value(), codec, "a stored document cannot be read");
    ++found;
    return {};
  };
  const bool is_read = origin::read_articles(transaction.connection(), codec, selection, decode).has_value();
  json.end_array();
  require(is_read && found == latest && json.is_valid(), codec, "the latest documents cannot be read");
}

// A new database, so that no run finds what another one left.
void run(const ColumnOptions& options, const std::string& document, std::vector<ColumnCost>& costs) {
  const test::TemporaryDirectory directory;
  origin::DatabaseFile file(directory.file("columns.db"), origin::DataSetSize{0, 0});
  origin::Database database(file);
  for (const json::Codec* codec : json::all_codecs()) {
    ColumnCost cost{codec->name(), "create"};
    {
      const Stopwatch watch(cost);
      for (unsigned i = 0; i < options.times; ++i) create(database, *codec, document, cost);
    }
    costs.push_back(cost);
  }
  for (const json::Codec* codec : json::all_codecs()) {
    ColumnCost rest;  // there may be fewer than a find wants
    for (unsigned i = options.times; i < options.latest; ++i) create(database, *codec, document, rest);
    ColumnCost cost{codec->name(), "find"};
    {
      const Stopwatch watch(cost);
      for (unsigned i = 0; i < options.times; ++i) find(database, *codec, options.latest, cost);
    }
    costs.push_back(cost);
  }
}

void check_round_trip(const json::Codec& codec, const std::string& document) {
  const json::Result<std::string> stored = codec.encode(document);
  json::Writer json(json::Escape::none);
  const bool is_read = stored.has_value() && codec.decode(*stored, json).has_value();
  require(is_read && json.view() == document, codec, "the document does not come back equal");
}

}  // namespace

std::vector<ColumnCost> measure_columns(const ColumnOptions& options) {
  const std::string document = sample_document();
  for (const json::Codec* codec : json::all_codecs()) check_round_trip(*codec, document);
  std::vector<ColumnCost> rehearsal;
  run(options, document, rehearsal);
  std::vector<ColumnCost> costs;
  run(options, document, costs);
  for (ColumnCost& cost : costs) {
    for (const ColumnCost& other : costs) {
      if (other.codec == cost.codec && other.stored_bytes != 0) cost.stored_bytes = other.stored_bytes;
    }
  }
  return costs;
}

std::string column_table(const std::vector<ColumnCost>& costs, const ColumnOptions& options) {
  char line[200];
  std::string table;
  const auto add = [&](int length) { table.append(line, static_cast<std::size_t>(length)); };
  add(std::snprintf(line, sizeof line, "%-16s %8s %8s %8s %8s %8s %6s %14s %14s\n", "", "user s", "system s",
                    "total s", "real s", "bytes", "codec", "user ms each", "original's"));
  for (const ColumnCost& cost : costs) {
    const Seconds total = cost.user + cost.system;
    const double share = total.count() > 0 ? 100 * cost.in_codec / total : 0;
    const std::string name = std::string(cost.operation) + ' ' + std::string(cost.codec);
    add(std::snprintf(line, sizeof line, "%-16s %8.3f %8.3f %8.3f %8.3f %8zu %5.0f%% %14.3f %14.3f\n",
                      name.c_str(), cost.user.count(), cost.system.count(), total.count(), cost.real.count(),
                      cost.stored_bytes, share, 1e3 * cost.user.count() / options.times,
                      1e3 * original_seconds(cost)));
  }
  return table;
}

}  // namespace tessera::loadtest
