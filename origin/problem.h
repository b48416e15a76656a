// Why a request is refused, as the client is told: a status and a sentence (RFC 9457).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/assert/source_location.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace tessera::origin {

struct Problem {
  int status = 500;
  std::string detail;
};

// A value, or why the client cannot have it.
template <class T>
using Checked = boost::system::result<T, Problem>;

// What a failure of the database means for a client. `what` names the record that was asked for ("course 7").
Problem problem_of(boost::system::error_code error, std::string_view what = "the record");

// Called by Checked::value() when there is none, which is a bug.
[[noreturn]] inline void throw_exception_from_error(const Problem& problem, const boost::source_location&) {
  throw std::logic_error(problem.detail);
}

}  // namespace tessera::origin
