// json/slicer_bench [--benchmark_filter=...]: slicing, against RapidJSON reading the same document without a
// handler.
#include <benchmark/benchmark.h>
#include <rapidjson/reader.h>

#include "json/bench_document.h"
#include "json/slicer.h"

namespace tessera::json {
namespace {

const BenchDocument& documents() {
  static const BenchDocument documents = bench_document();
  return documents;
}

CollectionShape shape_of(const char* array, bool has_included) {
  CollectionShape shape;
  shape.array = Pointer::parse(array).value();
  shape.id = Pointer::parse("/id").value();
  if (has_included) shape.included = Pointer::parse("/included").value();
  return shape;
}

void slice(benchmark::State& state, const std::string& document, const CollectionShape& shape) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(slice_collection(document, shape));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * document.size()));
}

void slice_plain(benchmark::State& state) {
  slice(state, documents().collection, shape_of("/courses", false));
}
BENCHMARK(slice_plain)->Unit(benchmark::kMicrosecond);

void slice_json_api(benchmark::State& state) {
  slice(state, documents().json_api, shape_of("/data", true));
}
BENCHMARK(slice_json_api)->Unit(benchmark::kMicrosecond);

void rapidjson_alone(benchmark::State& state) {
  const std::string& document = documents().collection;
  for (auto _ : state) {
    rapidjson::StringStream stream(document.c_str());
    rapidjson::BaseReaderHandler<> nothing;
    rapidjson::Reader reader;
    constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                                rapidjson::kParseNumbersAsStringsFlag;
    benchmark::DoNotOptimize(reader.Parse<kFlags>(stream, nothing).IsError());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * document.size()));
}
BENCHMARK(rapidjson_alone)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera::json

BENCHMARK_MAIN();
