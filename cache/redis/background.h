// Coroutines that belong to the store, not to a request.
#pragma once

#include <functional>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace tessera::cache::redis {

// The function object lives as long as its coroutine. An exception (a lack of memory, or a bug) is not
// swallowed: it leaves the event loop's run().
void run_in_background(const boost::asio::any_io_executor& executor,
                       std::function<boost::asio::awaitable<void>()> coroutine);

}  // namespace tessera::cache::redis
