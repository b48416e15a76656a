// Slices a document, learns its envelope, cuts fragments; where that passes check_reassembly, the assembler
// must give the document again.
#include <cstdlib>

#include "cache/assembler.h"
#include "cache/cache_fuzz.h"

namespace tessera::cache {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// A manifest with the slice's ids and all its members; null when an id or a member comes twice.
std::shared_ptr<const Manifest> manifest_for(const json::CollectionSlice& slice, const json::Pointer& id) {
  std::string document = R"({"records":[)";
  for (const json::RecordSlice& record : slice.records) {
    document += &record == slice.records.data() ? "" : ",";
    document += record.bytes;
  }
  document += R"(],"members":{)";
  for (const json::MemberSlice& member : slice.members) {
    document += &member == slice.members.data() ? "\"" : ",\"";
    for (const char c : member.name) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x80) {
        document += c;
      } else {
        document += std::string("\\u00") + kDigits[byte >> 4U] + kDigits[byte & 0xFU];
      }
    }
    document += "\":";
    document += member.value;
  }
  const auto manifest = Manifest::parse(document + "}}", {json::Pointer::parse("/records").value(), id,
                                                          json::Pointer::parse("/version").value()});
  return manifest.has_value() ? *manifest : nullptr;
}

}  // namespace

void fuzz_assembler(std::string_view input) {
  json::CollectionShape shape;
  shape.id = json::Pointer::parse("/id").value();
  shape.included = json::Pointer::parse("/included").value();
  const auto slice = json::slice_collection(input, shape);
  if (slice.has_error()) return;
  const std::vector<std::string_view> versions(slice->records.size(), "v");
  const auto fragments = make_fragments(*slice, {{"slide", "fast_slide"}}, versions, SystemTime());
  if (fragments.has_error()) return;
  std::vector<std::string_view> names;
  for (const json::MemberSlice& member : slice->members) names.push_back(member.name);
  const auto learned = learn_envelope(*slice, true, names, {}, nullptr);
  if (learned.has_error()) return;
  if (check_reassembly(*slice, learned->envelope, *fragments)) return;

  const std::shared_ptr<const Manifest> manifest = manifest_for(*slice, shape.id);
  if (!manifest) return;
  EnvelopeSet set;
  set.forms[static_cast<std::size_t>(learned->form)] = learned->envelope;
  std::vector<FragmentView> views;
  for (const FragmentPtr& fragment : *fragments) views.push_back(fragment->view());
  AssemblyFault fault{};
  const SnapshotPtr snapshot =
      Assembler::assemble({manifest, std::make_shared<const EnvelopeSet>(set), views, nullptr}, fault);
  require(snapshot && snapshot->body() == input);
  for (std::size_t i = 0; i < views.size(); ++i) views[i] = snapshot->record(i);
  const SnapshotPtr again = Assembler::assemble({manifest, snapshot->envelopes(), views, nullptr}, fault);
  require(again && again->body() == input && again->etag() == snapshot->etag());
}

}  // namespace tessera::cache

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tessera::cache::fuzz_assembler({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
