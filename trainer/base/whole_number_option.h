// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adarun::trainer {

/// The whole numbers that an option takes, in decimal digits. CLI11 alone would read 010 as octal, 0x10 as
/// 16, -1 as 2^64-1, and what is larger than that as that.
struct WholeNumbers {
  std::uint64_t low = 0;
  std::uint64_t high = 0;  ///< Included.

  /// The number in `text`; nothing if that is not one of these.
  std::optional<std::uint64_t> parse(std::string_view text) const;

  /// For CLI::Validator, as a transformation: what is wrong with `text`; if nothing is, leading zeros are
  /// removed from it.
  std::string operator()(std::string& text) const;

  /// `INT in [1 - 4096]`, for --help.
  std::string description() const;
};

/// An option that takes a whole number of `range`.
template <typename Value>
CLI::Option* add_whole_number(CLI::App& app, const std::string& option, Value& value,
                              const WholeNumbers& range, const std::string& description = "") {
  return app.add_option(option, value, description)->transform(CLI::Validator(range, range.description()));
}

}  // namespace adarun::trainer
