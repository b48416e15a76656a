// Why a JSON document from elsewhere could not be used.
#pragma once

#include <cstddef>

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace tessera::json {

enum class Error {
  malformed = 1,      // not one JSON document in valid UTF-8 (RFC 8259)
  too_deep,           // nested deeper than kMaxDepth
  bad_pointer,        // the text is no JSON Pointer (RFC 6901)
  array_not_found,    // nothing, or no array, where the array of records should be
  array_ambiguous,    // no pointer was given, and more than one member holds an array
  record_without_id,  // an element of the array is no object, or has no string or number where its id should
                      // be
  resource_without_identity,  // an element of `included` has no type or no id
  missing_member,             // a member that the document must have is not there, or is of another type
  not_utf8,                   // a text that was to be written is not UTF-8 (RFC 3629)
  not_finite,       // a number that was to be written is NaN or infinite, and the options refuse these
  name_repeated,    // an object has two members of one name (only where that is refused; see codec.h)
  number_not_kept,  // a number that the codec cannot keep exactly
  undecodable,      // stored bytes are not of the codec's format
  no_json_form,     // stored bytes hold what JSON has no form for, or what readers take differently (see
                    // codec.h)
};

inline constexpr std::size_t kMaxDepth = 128;

const boost::system::error_category& error_category();
boost::system::error_code make_error_code(Error error);

template <class T>
using Result = boost::system::result<T>;

}  // namespace tessera::json

template <>
struct boost::system::is_error_code_enum<tessera::json::Error> : std::true_type {};
