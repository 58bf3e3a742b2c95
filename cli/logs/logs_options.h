// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/arguments/node_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace adarun::cli {

/// The options of `adarun logs`.
struct LogsOptions {
  std::vector<std::string> places;  ///< Jobs, folders or files.
  std::set<std::uint32_t> ranks;
  std::string node;
  std::set<std::string> roles;
  /// Whether job.json has to say which ranks are meant.
  bool chooses_by_job() const { return !node.empty() || !roles.empty(); }

  std::optional<std::uint64_t> tail;
  std::optional<std::int64_t> since_ms;
  std::optional<std::string> pattern;  ///< Valid for a LineFilter.
  bool follow = false;
  bool merge = false;
  bool tag_output = false;
  bool attempts = false;  ///< Also of earlier attempts at the job.
  bool collect = false;
  std::string collect_dir;
  std::vector<std::string> paths;
  NodeOptions nodes;
};

/// Adds all options and examples; returns the option --collect.
CLI::Option* add_logs_options(CLI::App& command, LogsOptions& options);

/// The job whose nodes are asked, for find_job: that of PLACE, else of ./log_output, which is read by
/// default, else "".
std::string only_place(const LogsOptions& options);

/// Throws ExitError for options that cannot be combined.
void check_usage(const LogsOptions& options);

}  // namespace adarun::cli
