#include "origin/record_version.h"

#include <charconv>

namespace tessera::origin {

std::string id_list(const std::vector<std::int64_t>& ids) {
  std::string list = "[";
  char digits[24];
  for (const std::int64_t id : ids) {
    if (list.size() > 1) list += ',';
    list.append(digits, std::to_chars(digits, digits + sizeof digits, id).ptr);
  }
  list += ']';
  return list;
}

}  // namespace tessera::origin
