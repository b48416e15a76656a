// cache/assembler_bench [--benchmark_filter=...]: each step between a collection document, its manifest and a
// snapshot.
#include <array>

#include <benchmark/benchmark.h>

#include "cache/assembler.h"
#include "cache/key_space.h"
#include "cache/memory_cache.h"
#include "cache/stored_value.h"
#include "json/bench_document.h"

namespace tessera::cache {
namespace {

constexpr SystemTime kBorn{};
constexpr std::string_view kVersion = "2024-03-05T07:08:09.123456Z";

ManifestShape manifest_shape() {
  return {json::Pointer::parse("/records").value(), json::Pointer::parse("/0").value(),
          json::Pointer::parse("/1").value()};
}

// What the proxy has after a whole collection.
struct Fixture {
  explicit Fixture(bool is_json_api) {
    const json::BenchDocument documents = json::bench_document();
    document = is_json_api ? documents.json_api : documents.collection;
    json::CollectionShape shape;
    shape.array = json::Pointer::parse(is_json_api ? "/data" : "/courses").value();
    shape.id = json::Pointer::parse("/id").value();
    if (is_json_api) shape.included = json::Pointer::parse("/included").value();
    types = {{"slide", "fast_slide"}};
    slice = json::slice_collection(document, shape).value();
    versions.assign(slice.records.size(), kVersion);
    fragments = make_fragments(slice, types, versions, kBorn).value();
    LearnedEnvelope learned = learn_envelope(slice, is_json_api, {}, {}, nullptr).value();
    envelope = learned.envelope;
    auto set = std::make_shared<EnvelopeSet>();
    set->forms[static_cast<std::size_t>(learned.form)] = envelope;
    set->content_type = "application/json; charset=utf-8";
    envelopes = set;
    manifest_document = documents.manifest;
    manifest = Manifest::parse(manifest_document, manifest_shape()).value();
    for (const FragmentPtr& fragment : fragments) views.push_back(fragment->view());
  }

  std::string document;
  TypeMap types;
  json::CollectionSlice slice;
  std::vector<std::string_view> versions;
  std::vector<FragmentPtr> fragments;
  Envelope envelope;
  std::shared_ptr<const EnvelopeSet> envelopes;
  std::string manifest_document;
  std::shared_ptr<const Manifest> manifest;
  std::vector<FragmentView> views;
};

const Fixture& plain() {
  static const Fixture fixture(false);
  return fixture;
}

const Fixture& json_api() {
  static const Fixture fixture(true);
  return fixture;
}

void parse_manifest(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Manifest::parse(plain().manifest_document, manifest_shape()));
  }
}
BENCHMARK(parse_manifest)->Unit(benchmark::kMicrosecond);

void digest_manifest(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const auto manifest = Manifest::parse(plain().manifest_document, manifest_shape()).value();
    state.ResumeTiming();
    benchmark::DoNotOptimize(manifest->digest());
  }
}
BENCHMARK(digest_manifest)->Unit(benchmark::kMicrosecond);

void find_in_manifest(benchmark::State& state) {
  for (auto _ : state) {
    for (const FragmentPtr& fragment : plain().fragments) {
      benchmark::DoNotOptimize(plain().manifest->find(fragment->id().text, false));
    }
  }
}
BENCHMARK(find_in_manifest)->Unit(benchmark::kMicrosecond);

void cut_fragments(benchmark::State& state, const Fixture& fixture) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_fragments(fixture.slice, fixture.types, fixture.versions, kBorn));
  }
}
BENCHMARK_CAPTURE(cut_fragments, plain, plain())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(cut_fragments, json_api, json_api())->Unit(benchmark::kMicrosecond);

void check(benchmark::State& state, const Fixture& fixture) {
  for (auto _ : state) {
    if (check_reassembly(fixture.slice, fixture.envelope, fixture.fragments)) state.SkipWithError("differs");
  }
}
BENCHMARK_CAPTURE(check, plain, plain())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check, json_api, json_api())->Unit(benchmark::kMicrosecond);

void assemble(benchmark::State& state, const Fixture& fixture) {
  AssemblyFault fault{};
  for (auto _ : state) {
    const AssemblyInput input{fixture.manifest, fixture.envelopes, fixture.views, nullptr};
    const SnapshotPtr snapshot = Assembler::assemble(input, fault);
    if (!snapshot || snapshot->body() != fixture.document) state.SkipWithError("differs");
  }
}
BENCHMARK_CAPTURE(assemble, plain, plain())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(assemble, json_api, json_api())->Unit(benchmark::kMicrosecond);

void find_in_memory(benchmark::State& state) {
  MemoryCache memory(64U << 20U);
  std::vector<MemoryKey> keys;
  for (const FragmentPtr& fragment : plain().fragments) {
    keys.push_back({Kind::fragment, digest_of("space"), 's' + fragment->id().text});
    memory.insert(keys.back(), fragment, fragment->memory_bytes(), 0);
  }
  for (auto _ : state) {
    for (const MemoryKey& key : keys) benchmark::DoNotOptimize(memory.find<Fragment>(key));
  }
}
BENCHMARK(find_in_memory)->Unit(benchmark::kMicrosecond);

void decode_stored(benchmark::State& state) {
  KeySpaceParts parts;
  parts.prefix = "tessera";
  parts.route = "courses";
  const KeySpace space(parts);
  std::vector<std::pair<std::string, std::string>> stored;
  for (const FragmentPtr& fragment : plain().fragments) {
    const std::string key = space.redis_key(kFragmentKind, fragment->id().text, false);
    stored.emplace_back(key, encode_fragment(key, *fragment, {}));
  }
  for (auto _ : state) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      benchmark::DoNotOptimize(
          decode_fragment(stored[i].first, stored[i].second, plain().fragments[i]->id()));
    }
  }
}
BENCHMARK(decode_stored)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera::cache

BENCHMARK_MAIN();
