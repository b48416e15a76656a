// What can go wrong in the database, as values.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace tessera::origin {

enum class Error {
  database_failed = 1,  // SQLite reported a failure (disk full, I/O error, damaged file); it is in the log
  database_busy,        // another process held the write lock for longer than kBusyTimeout; try again
  not_found,            // there is no record of that id
  id_taken,             // a record of that id exists already
  text_not_utf8,        // a text in the database is not UTF-8, so no JSON can hold it
};

const boost::system::error_category& error_category();
boost::system::error_code make_error_code(Error error);

template <class T>
using Result = boost::system::result<T>;

}  // namespace tessera::origin

template <>
struct boost::system::is_error_code_enum<tessera::origin::Error> : std::true_type {};
