// One or several origins, equal in content, on one event loop: chooses one for each request, and leaves out
// those that fail.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "http/client.h"
#include "http/origin_status.h"

namespace tessera::http {

enum class Balance : unsigned char { round_robin, least_connections };

struct HealthCheckOptions {
  std::string path;  // asked for with GET; 200 to 399 is healthy; "": no checks
  std::chrono::milliseconds interval{2'000};
  std::chrono::milliseconds timeout{1'000};
  unsigned healthy_after = 2;    // good answers in a row
  unsigned unhealthy_after = 3;  // bad ones
};

struct UpstreamOptions {
  ClientOptions client;  // of each origin
  Balance balance = Balance::round_robin;
  std::size_t max_requests = 0;  // out at once; 0: no limit
  unsigned eject_after = 5;      // failures in a row; 0: never
  std::chrono::milliseconds eject_time{10'000};
  HealthCheckOptions check;
};

// Belongs to one event loop; the group is shared by those of all loops. Loop 0's runs the health checks.
class Upstream {
 public:
  Upstream(boost::asio::any_io_executor executor, std::shared_ptr<OriginGroup> origins,
           UpstreamOptions options, std::size_t loop);
  // In front of one origin, and on one loop.
  Upstream(boost::asio::any_io_executor executor, Origin origin, UpstreamOptions options);
  ~Upstream();  // ends the health checks; running exchanges end as they do
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  const std::shared_ptr<OriginGroup>& origins() const;

  // As Client::send. An origin that cannot be connected to is followed by the next one, whatever the method,
  // for nothing has been sent. Error::overloaded at once when max_requests are out.
  //
  // With several origins, one that fails `eject_after` times in a row (no connection, no head in time, closed
  // before it had come) is left out for `eject_time`, doubling to a minute; one whose 503 brings Retry-After
  // for so long, at most a minute; and one whose health checks fail until they succeed again. When all are
  // out, all are asked as if they were not.
  Task<Result<ClientResponse>> send(RequestHead head, BodySource* body, Deadline deadline,
                                    InterimSink interim = {});

  // Exchanges that have begun and not ended.
  std::size_t out() const;
  void close_idle();
  // Ends the health checks, for good: the group has another upstream now.
  void end_checks();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::http
