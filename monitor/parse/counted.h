// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "monitor/parse/scan.h"

namespace adarun::monitor {

/// A count as it stands in a line, with the total where one is given. The texts are parts of the line.
struct Counted {
  std::uint64_t value = 0;
  std::string_view text;
  std::optional<std::uint64_t> total;
  std::string_view total_text;
};

/// Reads 100, 100/312, [100] or [100/312], with spaces between.
std::optional<Counted> take_counted(Scan& scan);

/// Reads what separates a name from its value: the quote that ends the name, ':' or '=', and the quote that
/// begins the value. Nothing has to be there; the quote before the value is read only if the name has one.
struct Separator {
  bool quoted = false;  ///< The name is in quotes, as in "'epoch': 0.5".
  bool marked = false;  ///< There is ':' or '='.
};
Separator take_separator(Scan& scan);

/// Reads what follows the word "epoch" or "step": a separator or nothing, then the count.
std::optional<Counted> take_labelled(Scan& scan);

/// Reads the step of a progress bar in `line`: of tqdm's anywhere in it ("45%|####  | 211/469 [00:03<00:04"),
/// of Keras's at its beginning ("211/1875 [===>...] - ETA: 3s", "12/12 - 1s"). Nothing for a bar of Keras's
/// that counts samples ("66us/sample").
std::optional<Counted> bar_step(std::string_view line);

}  // namespace adarun::monitor
