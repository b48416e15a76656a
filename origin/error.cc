#include "origin/error.h"

#include <string>

namespace tessera::origin {
namespace {

class Category final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "tessera.origin"; }

  std::string message(int value) const override {
    switch (static_cast<Error>(value)) {
      case Error::database_failed:
        return "the database failed";
      case Error::database_busy:
        return "the database is busy";
      case Error::not_found:
        return "there is no such record";
      case Error::id_taken:
        return "the id is taken";
      case Error::text_not_utf8:
        return "a text in the database is not UTF-8";
    }
    return "unknown error";
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

}  // namespace tessera::origin
