#include "json/error.h"

#include <string>

namespace tessera::json {
namespace {

class Category final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "tessera.json"; }

  std::string message(int value) const override {
    switch (static_cast<Error>(value)) {
      case Error::malformed:
        return "not one JSON document in valid UTF-8";
      case Error::too_deep:
        return "nested too deep";
      case Error::bad_pointer:
        return "not a JSON Pointer";
      case Error::array_not_found:
        return "no array of records where one should be";
      case Error::array_ambiguous:
        return "more than one array could be the records";
      case Error::record_without_id:
        return "a record has no id, or more than one";
      case Error::resource_without_identity:
        return "an included resource has no type or no id";
      case Error::missing_member:
        return "a member is missing, or of another type";
      case Error::not_utf8:
        return "a text is not UTF-8";
      case Error::not_finite:
        return "a number is not finite";
      case Error::name_repeated:
        return "an object has two members of one name";
      case Error::number_not_kept:
        return "a number is too large to be kept exactly";
      case Error::undecodable:
        return "the stored bytes are not of their format";
      case Error::no_json_form:
        return "the stored bytes hold what has no form in JSON";
    }
    return "unknown JSON error";
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

}  // namespace tessera::json
