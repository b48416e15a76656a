// tessera-loadtest: clients and checks that see only the wire. Each script of this folder runs one of its
// commands.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "loadtest/bulk_client.h"
#include "loadtest/churn.h"
#include "loadtest/crowd.h"
#include "loadtest/encoding/run.h"
#include "loadtest/history/options.h"
#include "loadtest/scenarios.h"
#include "loadtest/transfers.h"

namespace {

using tessera::loadtest::BulkOptions;
using tessera::loadtest::ChurnOptions;
using tessera::loadtest::ConsistencyOptions;
using tessera::loadtest::CrowdOptions;
using tessera::loadtest::EncodeRunOptions;
using tessera::loadtest::ScenarioOptions;
using tessera::loadtest::TransferOptions;

CLI::App* add_consistency(CLI::App& app, ConsistencyOptions& options) {
  CLI::App* command = app.add_subcommand(
      "consistency", "Is every answer the origin's state at one instant between its request and its end?");
  command->add_option("--reads", options.reads, "answers to judge")->capture_default_str();
  command->add_option("--courses", options.courses, "courses of the origin")->capture_default_str();
  command->add_option("--slides", options.slides, "slides of each course")->capture_default_str();
  command->add_option("--readers", options.readers, "reading threads")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--writers", options.writers, "writing threads")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--seed", options.seed, "of every choice; 0 takes a random one")->capture_default_str();
  command->add_flag("--redis-chaos", options.redis_chaos,
                    "kill and restart, freeze and thaw Redis meanwhile");
  command->add_option("--chaos-period", options.chaos_period_ms, "ms between two such events")
      ->capture_default_str();
  command->add_option("--write-pause", options.write_pause_us, "longest pause after a write, us")
      ->capture_default_str();
  command->add_option("--l1", options.l1, "memory tier of the first proxy")->capture_default_str();
  command->add_option("--second-l1", options.second_l1, "memory tier of the second proxy")
      ->capture_default_str();
  return command;
}

CLI::App* add_scenario(CLI::App& app, const char* name, const char* text, ScenarioOptions& options) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("--rendering", options.rendering, "which of the five")->capture_default_str();
  command->add_option("--courses", options.courses, "courses of the origin")->capture_default_str();
  command->add_option("--slides", options.slides, "slides of each course")->capture_default_str();
  command->add_option("--clients", options.clients, "clients at once; 0: as many as the command wants");
  return command;
}

CLI::App* add_bulk(CLI::App& app, BulkOptions& options) {
  CLI::App* command = app.add_subcommand("bulk", "A closed-loop client that reads 256 KB at a time.");
  command->add_option("url", options.url, "what to GET")->required();
  command->add_option("--connections", options.connections, "at once")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--seconds", options.seconds, "how long")->capture_default_str();
  return command;
}

CLI::App* add_churn(CLI::App& app, ChurnOptions& options) {
  CLI::App* command = app.add_subcommand("churn", "One course changes at the origin before every request.");
  command->add_option("--origin", options.origin, "base URL of the origin")->required();
  command->add_option("--server", options.server, "base URL of the server that is asked")->required();
  command->add_option("--target", options.target, "what to GET")->capture_default_str();
  command->add_option("--invalidate", options.invalidate, "how the server learns of a change")
      ->check(CLI::IsMember({"none", "purge", "refresh"}))
      ->capture_default_str();
  command->add_option("--courses", options.courses, "courses of the origin")->capture_default_str();
  command->add_option("--seconds", options.seconds, "how long")->capture_default_str();
  return command;
}

CLI::App* add_transfers(CLI::App& app, TransferOptions& options) {
  CLI::App* command =
      app.add_subcommand("transfers", "Bodies of a gibibyte in both directions: bytes and memory.");
  command->add_option("--mebibytes", options.mebibytes, "of each body")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  return command;
}

CLI::App* add_idle(CLI::App& app, CrowdOptions& options) {
  CLI::App* command = app.add_subcommand("idle", "What an idle connection costs in memory.");
  command->add_option("--connections", options.idle, "at once")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  return command;
}

CLI::App* add_slow(CLI::App& app, CrowdOptions& options) {
  CLI::App* command =
      app.add_subcommand("slow", "Other clients' p99 beside connections that never finish a head.");
  command->add_option("--connections", options.slow, "slow ones at once")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  command->add_option("--seconds", options.seconds, "of each measurement")->capture_default_str();
  return command;
}

CLI::App* add_encode(CLI::App& app, EncodeRunOptions& options) {
  CLI::App* command =
      app.add_subcommand("encode", "How fast JSON is encoded, with and without HTML-safe escapes.");
  command->add_option("--file", options.file, "a JSON document instead of the generated tweets")
      ->check(CLI::ExistingFile);
  command->add_option("--rounds", options.rounds, "in each, every way has its turn")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  command->add_option("--slice", options.slice_ms, "ms of each turn")->capture_default_str();
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Load tests of Tessera; they see only the wire.", "tessera-loadtest");
  app.require_subcommand(1);
  ConsistencyOptions consistency;
  ScenarioOptions scenario;
  BulkOptions bulk;
  ChurnOptions churn;
  TransferOptions transfers;
  CrowdOptions crowd;
  const CLI::App* const consistency_command = add_consistency(app, consistency);
  const CLI::App* const change_command =
      add_scenario(app, "change", "One course changes: exactly one record is fetched.", scenario);
  const CLI::App* const cold_command =
      add_scenario(app, "cold", "200 clients at a cold proxy: each record is rendered once.", scenario);
  CLI::App* const failures_command =
      add_scenario(app, "failures", "Redis and origin are frozen and killed under load.", scenario);
  failures_command->add_option("--span", scenario.span_ms, "ms of each phase")->capture_default_str();
  const CLI::App* const bulk_command = add_bulk(app, bulk);
  const CLI::App* const churn_command = add_churn(app, churn);
  const CLI::App* const transfers_command = add_transfers(app, transfers);
  const CLI::App* const idle_command = add_idle(app, crowd);
  const CLI::App* const slow_command = add_slow(app, crowd);
  EncodeRunOptions encode;
  const CLI::App* const encode_command = add_encode(app, encode);
  CLI11_PARSE(app, argc, argv);
  try {
    if (*consistency_command) return run_consistency(consistency);
    if (*change_command) return run_change(scenario);
    if (*cold_command) return run_cold(scenario);
    if (*failures_command) return run_failures(scenario);
    if (*bulk_command) return print_bulk(bulk);
    if (*churn_command) return run_churn(churn);
    if (*transfers_command) return run_transfers(transfers);
    if (*idle_command) return run_idle(crowd);
    if (*slow_command) return run_slow(crowd);
    if (*encode_command) return run_encode(encode);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-loadtest: %s\n", error.what());
  }
  return 2;
}
