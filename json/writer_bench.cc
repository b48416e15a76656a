// json/writer_bench [--benchmark_filter=...]: our writer with HTML-safe escapes, against RapidJSON's plain
// Writer writing the same strings without them.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "json/writer.h"

namespace tessera::json {
namespace {

using Texts = std::vector<std::string>;

constexpr int kTexts = 5'000;

// As the origin's data has them: plain ASCII of about 77 bytes.
Texts clean_texts() {
  Texts texts;
  for (int i = 0; i < kTexts; ++i) texts.push_back(std::string(60 + i % 35, static_cast<char>('a' + i % 26)));
  return texts;
}

// The same with a tag and an ampersand in each.
Texts marked_up_texts() {
  Texts texts = clean_texts();
  for (std::string& text : texts) text.insert(text.size() / 2, "<b>&</b>");
  return texts;
}

std::int64_t bytes_of(const Texts& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return static_cast<std::int64_t>(bytes);
}

void write_ours(benchmark::State& state, const Texts& texts, Escape escape) {
  std::size_t size = 0;
  for (auto _ : state) {
    Writer writer(escape);
    writer.reserve(size);
    writer.begin_array();
    for (const std::string& text : texts) writer.string(text);
    writer.end_array();
    size = writer.size();
    benchmark::DoNotOptimize(writer.view().data());
  }
  state.SetBytesProcessed(state.iterations() * bytes_of(texts));
}

void write_rapidjson(benchmark::State& state, const Texts& texts) {
  for (auto _ : state) {
    rapidjson::StringBuffer buffer(nullptr, 1 << 20);
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.StartArray();
    for (const std::string& text : texts)
      writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    writer.EndArray();
    benchmark::DoNotOptimize(buffer.GetString());
  }
  state.SetBytesProcessed(state.iterations() * bytes_of(texts));
}

BENCHMARK_CAPTURE(write_ours, clean_html, clean_texts(), Escape::html);
BENCHMARK_CAPTURE(write_ours, clean_none, clean_texts(), Escape::none);
BENCHMARK_CAPTURE(write_rapidjson, clean, clean_texts());
BENCHMARK_CAPTURE(write_ours, marked_up_html, marked_up_texts(), Escape::html);
BENCHMARK_CAPTURE(write_rapidjson, marked_up, marked_up_texts());

}  // namespace
}  // namespace tessera::json

BENCHMARK_MAIN();
