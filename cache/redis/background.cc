#include "cache/redis/background.h"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>

namespace tessera::cache::redis {

void run_in_background(const boost::asio::any_io_executor& executor,
                       std::function<boost::asio::awaitable<void>()> coroutine) {
  boost::asio::co_spawn(executor, std::move(coroutine), [](const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace tessera::cache::redis
