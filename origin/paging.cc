#include "origin/paging.h"

#include <algorithm>
#include <string>

namespace tessera::origin {

void set_paging_fields(http::Fields& fields, std::string_view path, const Parameters& parameters,
                       const Page& page, std::int64_t total) {
  std::string target(path);
  target += '?';
  for (const Parameter& parameter : parameters) {
    if (parameter.name != "page" && parameter.name != "per_page") target += parameter.text + '&';
  }
  std::string links;
  const auto link = [&](std::int64_t number, std::string_view relation) {
    if (!links.empty()) links += ", ";
    links += '<' + target + "page=" + std::to_string(number) + "&per_page=" + std::to_string(page.size);
    links.append(">; rel=\"").append(relation).append("\"");
  };
  const std::int64_t last = std::max<std::int64_t>(1, (total + page.size - 1) / page.size);
  link(1, "first");
  if (page.number > 1) link(std::min(page.number - 1, last), "prev");
  if (page.number < last) link(page.number + 1, "next");
  link(last, "last");
  fields.set("Link", links);
  fields.set("X-Total-Count", std::to_string(total));
}

}  // namespace tessera::origin
