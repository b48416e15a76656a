#include "cache/error.h"

#include <string>

namespace tessera::cache {
namespace {

class Category final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "tessera.cache"; }

  std::string message(int value) const override {
    switch (static_cast<Error>(value)) {
      case Error::not_a_manifest:
        return "JSON, but not of the manifest's shape";
      case Error::duplicate_id:
        return "the manifest lists an id twice";
      case Error::envelope_unknown:
        return "no whole collection of this form has been seen";
      case Error::envelope_undeclared:
        return "a member is neither supplied by the manifest nor declared constant";
      case Error::member_missing:
        return "the manifest does not supply a member that the envelope needs";
      case Error::included_conflict:
        return "two records disagree about an included resource";
      case Error::not_assemblable:
        return "the slices do not give the document again";
      case Error::corrupt_value:
        return "a stored value does not read back";
      case Error::unattributed_resource:
        return "no record's linkage reaches an included resource";
    }
    return "unknown cache error";
  }
};

}  // namespace

const boost::system::error_category& error_category() {
  static const Category category;
  return category;
}

boost::system::error_code make_error_code(Error error) {
  return {static_cast<int>(error), error_category()};
}

}  // namespace tessera::cache
