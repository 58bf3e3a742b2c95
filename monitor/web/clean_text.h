// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::monitor::web {

/// Foreign bytes as UTF-8 that a page can show: escape sequences are left out, control characters become
/// their pictures (U+2400 and on; a tab stays), and what is no UTF-8, or would turn the direction of text
/// around, becomes U+FFFD. Markup stays as it is: the page never takes text for markup.
std::string clean_text(std::string_view bytes);

}  // namespace adarun::monitor::web
