// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace adarun::cli {

/// Runs a program, without a shell, and gives what it wrote to stdout and stderr together; its stdin is
/// empty. Nothing where there is no such program (looked up in PATH unless it has a '/'). Throws
/// std::runtime_error where it cannot be run, writes more than 64 KiB, or has not closed its output by the
/// deadline; it and what it started are killed then.
std::optional<std::string> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                                    std::chrono::milliseconds deadline);

}  // namespace adarun::cli
