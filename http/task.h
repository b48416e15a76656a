// The coroutine type and the deadline that every waiting call takes.
#pragma once

#include <chrono>

#include <boost/asio/awaitable.hpp>

namespace tessera::http {

// A coroutine that runs on one core's event loop. Arguments are values, or are owned by something
// that outlives the call.
template <class T>
using Task = boost::asio::awaitable<T>;

// An absolute point in time after which a call gives up with Error::timeout. Always the last argument.
using Deadline = std::chrono::steady_clock::time_point;

inline constexpr Deadline kNoDeadline = Deadline::max();

}  // namespace tessera::http
