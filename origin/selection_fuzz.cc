// Any bytes as a query and as an Accept field: what is accepted keeps within the limits, and a page's links
// are one field value that the same parser accepts again.
#include "origin/selection_fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "origin/negotiation.h"
#include "origin/paging.h"
#include "origin/query.h"
#include "origin/selection.h"

namespace tessera::origin {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_links(const Parameters& parameters, const Selection& selection) {
  http::Fields fields;
  set_paging_fields(fields, "/courses/jbuilder", parameters, *selection.page, 1'000);
  const std::string links = fields.joined("Link");
  require(!links.empty() && links.front() == '<');
  const std::string first = links.substr(1, links.find('>') - 1);
  const Checked<Parameters> again = parse_parameters(first.substr(first.find('?') + 1));
  require(again.has_value());
  const Checked<Selection> selected = parse_selection(*again);
  require(selected && selected->page && selected->page->number == 1 &&
          selected->page->size == selection.page->size && selected->ids == selection.ids);
}

}  // namespace

void fuzz_selection(std::string_view input) {
  http::Fields fields;
  if (fields.set("Accept", input)) static_cast<void>(prefers_manifest(fields));
  const Checked<Parameters> parameters = parse_parameters(input);
  if (!parameters) return require(parameters.error().status == 400);
  const Checked<Selection> selection = parse_selection(*parameters);
  if (!selection) return require(selection.error().status == 400 && !selection.error().detail.empty());
  require(!selection->ids || (!selection->ids->empty() && selection->ids->size() <= kMaxIds));
  if (selection->page) check_links(*parameters, *selection);
}

}  // namespace tessera::origin

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::origin::fuzz_selection({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
