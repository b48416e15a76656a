// A client that never meets an unchanged list: before each of its requests one course changes at the origin.
#pragma once

#include <string>

namespace tessera::loadtest {

struct ChurnOptions {
  std::string origin;  // base URL: where the course is changed
  std::string server;  // base URL: who is asked
  std::string target = "/courses/jbuilder";
  std::string invalidate = "none";  // how the server learns of it: "none", "purge" (PURGE of the URL),
                                    // "refresh" (the request carries X-Refresh: 1)
  unsigned courses = 1'000;         // the ids 1 to this are changed in turn
  double seconds = 2;
};

// Prints "RATE requests/s, ..."; the rate counts the time of invalidation and answer, not that of the change,
// which is the same for every server. Exit status 1 when an answer does not show the change, or is none.
int run_churn(const ChurnOptions& options);

}  // namespace tessera::loadtest
