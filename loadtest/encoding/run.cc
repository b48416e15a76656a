#include "loadtest/encoding/run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <rapidjson/rapidjson.h>

#include "json/encode.h"
#include "loadtest/encoding/documents.h"
#include "loadtest/encoding/ways.h"

namespace tessera::loadtest {
namespace {

constexpr std::size_t kFused = 4;  // of kWays: the one that the goal is about
constexpr double kGoal = 1.0;

using Rates = std::vector<double>;  // documents per second, a round each

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Subject subject_of(std::string_view name, Tree tree, json::KeyTable& keys) {
  constexpr std::size_t kSlack = 1024;  // no way has to grow its buffer for the last text
  Subject subject{name, std::move(tree), {}};
  subject.interned = intern(subject.tree, keys);
  subject.room = json::encode(subject.tree).value().size() + kSlack;
  return subject;
}

// Whether all safe ways give the same bytes, and every way a document that reads back as the tree.
bool agree(const Subject& subject) {
  std::string safe;
  for (const Way& way : kWays) {
    std::string document;
    way.encode(subject, &document);
    const bool reads_back = parse(document) == subject.tree;
    if (way.output == Output::safe && safe.empty()) safe = document;
    if (reads_back && (way.output == Output::plain || document == safe)) continue;
    std::printf("%s: \"%s\" gives another document\n", std::string(subject.name).c_str(),
                std::string(way.name).c_str());
    return false;
  }
  return true;
}

double measure(const Way& way, const Subject& subject, std::chrono::milliseconds slice) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::size_t documents = 0;
  Clock::duration elapsed{};
  do {
    if (way.encode(subject, nullptr) == 0) throw std::runtime_error("an empty document");
    ++documents;
    elapsed = Clock::now() - start;
  } while (elapsed < slice);
  return static_cast<double>(documents) / std::chrono::duration<double>(elapsed).count();
}

// Each round begins with another way, so that what disturbs one round disturbs no way always.
std::vector<Rates> measure_all(const Subject& subject, const EncodeRunOptions& options) {
  const std::chrono::milliseconds slice(options.slice_ms);
  for (const Way& way : kWays) measure(way, subject, slice);
  std::vector<Rates> rates(kWays.size(), Rates(options.rounds));
  for (unsigned round = 0; round < options.rounds; ++round) {
    for (std::size_t turn = 0; turn < kWays.size(); ++turn) {
      const std::size_t way = (turn + round) % kWays.size();
      rates[way][round] = measure(kWays[way], subject, slice);
    }
  }
  return rates;
}

double median(Rates values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Of each round, so that a slow moment of the machine is in both.
double median_ratio(const Rates& rates, const Rates& baseline) {
  Rates ratios;
  for (std::size_t round = 0; round < rates.size(); ++round) {
    ratios.push_back(rates[round] / baseline[round]);
  }
  return median(std::move(ratios));
}

void print_table(const Subject& subject, const std::vector<Rates>& rates) {
  const Way& first = kWays.front();
  std::string document;
  kWays[kBaseline].encode(subject, &document);
  std::printf("\n%s: %zu bytes, not escaped\n", std::string(subject.name).c_str(), document.size());
  std::printf("%-34s %8s %17s %12s %10s %14s\n", "", "per s", "min - max", "/ RapidJSON", "/ first",
              "the original's");
  for (std::size_t i = 0; i < kWays.size(); ++i) {
    const auto [low, high] = std::ranges::minmax(rates[i]);
    std::printf("%-34s %8.0f %8.0f - %6.0f %12.2f %10.2f", std::string(kWays[i].name).c_str(),
                median(rates[i]), low, high, median_ratio(rates[i], rates[kBaseline]),
                median_ratio(rates[i], rates.front()));
    if (kWays[i].original != 0) {
      std::printf(" %6.0f = %5.2f", kWays[i].original, kWays[i].original / first.original);
    }
    std::printf("\n");
  }
}

const char* rapidjson_simd() {
#if defined(RAPIDJSON_SSE42)
  return "SSE4.2";
#elif defined(RAPIDJSON_SSE2)
  return "SSE2";
#elif defined(RAPIDJSON_NEON)
  return "NEON";
#else
  return "no SIMD, as its package sets it";
#endif
}

}  // namespace

int run_encode(const EncodeRunOptions& options) {
  json::KeyTable keys;
  std::vector<Subject> subjects;
  subjects.push_back(
      subject_of("tweets", options.file.empty() ? tweets() : parse(read_file(options.file)), keys));
  subjects.push_back(subject_of("courses", courses(), keys));
  subjects.push_back(subject_of("HTML-heavy courses", marked_up_courses(), keys));

  std::printf("RapidJSON %s (%s); %u rounds of %u ms; medians, and ratios within each round\n",
              RAPIDJSON_VERSION_STRING, rapidjson_simd(), options.rounds, options.slice_ms);
  std::string goal;
  for (const Subject& subject : subjects) {
    if (!agree(subject)) return 1;
    const std::vector<Rates> rates = measure_all(subject, options);
    print_table(subject, rates);
    char ratio[64];
    std::snprintf(ratio, sizeof ratio, " %.2f", median_ratio(rates[kFused], rates[kBaseline]));
    goal += (goal.empty() ? "" : ",") + (' ' + std::string(subject.name)) + ratio;
  }
  std::printf(
      "\nThe original's figures are documents per second in Ruby, with its own twitter.json: its\n"
      "ActiveSupport before and after, JSON.generate and RapidJSON.\n"
      "Fused and escaped / RapidJSON without escapes (wanted: %.1f):%s\n",
      kGoal, goal.c_str());
  return 0;
}

}  // namespace tessera::loadtest
