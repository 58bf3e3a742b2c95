// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/node_options.h"
#include "cli/logs/log_stream.h"
#include "launcher/hosts/host.h"

namespace adarun::cli {

/// How to print files of hosts.
struct PrintOptions {
  LineOptions lines;
  std::optional<std::uint64_t> tail;
  bool follow = false;
};

/// `adarun logs --hosts LIST --path GLOB`: prints files of all hosts; with `follow`, continues as they grow.
/// Returns the exit status. Throws Quit and launcher::Error.
int print_files(const std::vector<launcher::Host>& hosts, const NodeOptions& options,
                const std::vector<std::string>& patterns, PrintOptions print_options);

}  // namespace adarun::cli
