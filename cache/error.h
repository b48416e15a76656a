// Why something could not be kept, found or assembled.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace tessera::cache {

enum class Error {
  not_a_manifest = 1,   // the bytes are JSON, but not of the manifest's shape
  duplicate_id,         // the manifest lists one id twice
  envelope_unknown,     // no whole collection of this form has been seen
  envelope_undeclared,  // a member of the envelope is neither supplied by the manifest nor declared constant
  member_missing,       // the envelope needs a member that the manifest does not supply
  included_conflict,    // two fragments hold different bytes for one included resource
  not_assemblable,      // putting the slices together again does not give the document
  corrupt_value,        // a stored value does not read back: wrong magic, format, length or checksum
  unattributed_resource,  // an included resource that no record's linkage reaches
};

const boost::system::error_category& error_category();
boost::system::error_code make_error_code(Error error);

template <class T>
using Result = boost::system::result<T>;

}  // namespace tessera::cache

template <>
struct boost::system::is_error_code_enum<tessera::cache::Error> : std::true_type {};
