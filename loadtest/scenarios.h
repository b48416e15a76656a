// Situations that are staged with the real programs and judged by the origin's and the clients' own counters.
// Each prints what it saw, and returns 0 when that is what is promised, else 1.
#pragma once

#include <string>

namespace tessera::loadtest {

struct ScenarioOptions {
  std::string rendering = "jbuilder";
  unsigned courses = 1'000;
  unsigned slides = 5;
  unsigned clients = 0;      // 0: the scenario's own number
  unsigned span_ms = 2'000;  // of each phase of run_failures
};

// One course is changed: the next answer of the proxy fetches exactly that record and equals the origin's.
int run_change(const ScenarioOptions& options);

// 200 clients ask a cold proxy at one moment: at most 4 manifest requests, each record rendered once.
int run_cold(const ScenarioOptions& options);

// Redis and the origin are frozen and killed under load: what clients saw before, during and after.
int run_failures(const ScenarioOptions& options);

}  // namespace tessera::loadtest
