// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// A position in one line of a log, and the basic steps for parsing any line format. Borrows the line. Each
/// `take_` function moves past what it found, or finds nothing and does not move.
class Scan {
 public:
  explicit Scan(std::string_view line) : line_(line) {}

  bool at_end() const { return at_ == line_.size(); }
  std::string_view rest() const { return line_.substr(at_); }

  /// The text from `earlier`, a position in the same line, up to here.
  std::string_view since(const Scan& earlier) const { return line_.substr(earlier.at_, at_ - earlier.at_); }

  /// The next word: letters, digits and '_', not beginning with a digit and not preceded by one of these
  /// characters. Skips everything before it. Empty at the end of the line.
  std::string_view next_word();

  void skip_spaces();
  bool take(char wanted);

  /// An unsigned number without a sign or point, and without an exponent or letter after it. None with
  /// thousands separators (see has_thousands).
  std::optional<std::uint64_t> take_count();

  /// A decimal number with optional sign, fraction and exponent, or nan, inf or infinity in any case. A
  /// delimiter must follow (see ends_value), or the character `end`. None with thousands separators.
  std::optional<double> take_value(char end = '\n');

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

/// Whether a number can end before `text`: at a space, a closing bracket or quote, one of ",;:|", a full stop
/// at the end of a sentence, or the end of the line.
bool ends_value(std::string_view text);

/// Whether `number`, which is followed by `behind`, is only the beginning of one with thousands separators,
/// as in "1,200": up to three digits, then a comma and exactly three.
bool has_thousands(std::string_view number, std::string_view behind);

/// The line as a terminal would show it: without colours and other escape sequences, and without text that a
/// later carriage return overwrote. `buffer` is used only if something is removed.
std::string_view visible_text(std::string_view line, std::string& buffer);

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

/// Moves into what Python prints around a number: "np.float64(2.3)", "tensor(2.3, device='cuda:0')",
/// "Array([2.3], dtype=float32)", "Tensor(shape=[], dtype=Float32, value= 2.3)". False if there is none of
/// them.
bool take_constructor(Scan& scan);

/// Reads what follows the word "epoch" or "step": a separator or nothing, then the count.
std::optional<Counted> take_labelled(Scan& scan);

/// Reads the step of a progress bar in `line`: of tqdm's anywhere in it ("45%|####  | 211/469 [00:03<00:04"),
/// of Keras's at its beginning ("211/1875 [===>...] - ETA: 3s", "12/12 - 1s"), of Rich's ("━━━╸━━ 211/469
/// 0:00:03"). Nothing for a bar of Keras's that counts samples ("66us/sample").
std::optional<Counted> bar_step(std::string_view line);

}  // namespace adarun::monitor
