// Parses any bytes as a manifest; every id that it lists must be found again. The first byte chooses the
// shape.
#include <cstdlib>

#include "cache/cache_fuzz.h"
#include "cache/manifest.h"

namespace tessera::cache {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

const char* const kShapes[][3] = {{"/records", "/0", "/1"},
                                  {"", "/id", "/updated_at"},
                                  {"/data/items", "/id", "/attributes/v"},
                                  {"", "", "/1"}};

}  // namespace

void fuzz_manifest(std::string_view input) {
  if (input.empty()) return;
  const auto& pointers = kShapes[static_cast<unsigned char>(input.front()) % std::size(kShapes)];
  const ManifestShape shape = {json::Pointer::parse(pointers[0]).value(),
                               json::Pointer::parse(pointers[1]).value(),
                               json::Pointer::parse(pointers[2]).value()};
  const std::string document(input.substr(1));
  const auto manifest = Manifest::parse(document, shape);
  if (manifest.has_error()) return;
  const auto again = Manifest::parse(document, shape);
  require((*manifest)->document() == document && (*again)->digest() == (*manifest)->digest());
  const std::vector<ManifestEntry>& entries = (*manifest)->entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    require((*manifest)->find(entries[i].id, entries[i].id_is_number) == i);
    require(entries[i].has_version == !entries[i].version.empty());
  }
  for (const std::string_view name : (*manifest)->member_names())
    require((*manifest)->member(name).has_value());
}

}  // namespace tessera::cache

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tessera::cache::fuzz_manifest({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
