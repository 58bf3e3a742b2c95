// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::monitor {

/// What a log may be whose losses are not read by themselves, such as a table, whose rows name no values:
/// "it looks like a table of fastai, which this reads: --pattern '...'" if that reads a line of the text, or
/// "a line with the word is ...".
/// Empty if nothing in the text looks like a loss.
std::string unread_format_in(std::string_view text);

}  // namespace adarun::monitor
