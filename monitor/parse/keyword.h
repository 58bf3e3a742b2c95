// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace adarun::monitor {

/// The position, at or after `from`, of the next keyword or escape character (which may hide a keyword); npos
/// if there is none. Every line that reports a loss, a time, a throughput, an accuracy or a gradient contains
/// a keyword, and so does a line that holds only the number of an epoch; other lines need not be parsed.
/// Reads several GB/s.
std::size_t find_keyword(std::string_view text, std::size_t from);

/// Whether the text may report a loss of a validation or test: false only if it does not. As fast.
bool may_report_validation(std::string_view text);

}  // namespace adarun::monitor
