// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/parse/keyword.h"
#include "monitor/parse/loss_line.h"

namespace adarun::monitor {

/// The layout of the beginning of a line: its characters, where any digit matches any other. If the next line
/// has the same layout, its numbers are at the same places with as many digits. A few vector comparisons
/// check that.
class LineLayout {
 public:
  /// Longer beginnings are not remembered.
  static constexpr std::size_t most_bytes = 8 * lanes;

  /// Remembers the layout of `text`, the beginning of a line.
  void learn(std::string_view text);

  /// Whether `text` begins with this layout and has more behind it. False if nothing was learnt yet or `text`
  /// is too short to tell.
  bool fits(std::string_view text) const {
    if (vectors_ == 0 || text.size() <= vectors_ * lanes) return false;
    Bytes differs{};
    for (std::size_t i = 0; i < vectors_; ++i)
      differs |= static_cast<Bytes>((load(text.data() + i * lanes) ^ text_[i]) > most_apart_[i]);
    return !any(differs);
  }

  std::size_t size() const { return size_; }

 private:
  using Vectors = std::array<Bytes, most_bytes / lanes>;

  std::size_t size_ = 0;
  std::size_t vectors_ = 0;
  Vectors text_{};        ///< The text, with '0' for each digit. XOR with another digit gives at most 9, ...
  Vectors most_apart_{};  ///< ... so the limit is 9 for digits, 0 for other characters, 0xff after the text.
};

/// The shape of a loss line: its text, with places for the numbers and the spaces before them. A log repeats
/// a few shapes millions of times. A line of a known shape is read about ten times faster than any other,
/// with the same result. It is faster still if the numbers before the loss are at the same places as in the
/// previous line, which are remembered.
class LossShape {
 public:
  /// The shape of `line`, whose values are at `places`; none if another line of the same shape could have to
  /// be read differently.
  static std::optional<LossShape> of(std::string_view line, const LossPlaces& places);

  /// Reads the line at the beginning of `text`, up to its line end. Returns the length of the line without
  /// its end and fills `line`, which must be empty or from a line of this shape. Returns npos if the line has
  /// another shape (then use parse_losses), or if `text` has no line end.
  std::size_t read(std::string_view text, LossLine& line);

  static constexpr std::size_t npos = std::string_view::npos;

 private:
  enum Place { epoch, step, epochs, steps_per_epoch, digits, loss };

  /// Fixed text, then a place, which may have spaces before it.
  struct Part {
    std::string before;
    bool padded = false;
    Place place = digits;

    /// Moves past the text and the spaces.
    bool reach(const char*& at, const char* end) const;
  };

  using Count = std::optional<std::uint64_t> LossLine::*;

  /// Where a count before the loss was in the previous line.
  struct CountField {
    std::uint32_t offset = 0;
    std::uint32_t digits = 0;
    Count count = nullptr;
  };

  static Count count_of(Place place);
  static bool take_count(Place place, const char*& at, const char* end, std::uint64_t& count);
  const char* behind_head(std::string_view text, LossLine& line);
  const char* learn_head(std::string_view text, LossLine& line);
  bool read_tail(const char*& at, const char* end, LossLine& line) const;

  std::vector<Part> head_;  ///< Before the loss.
  Part loss_;
  std::vector<Part> tail_;  ///< After the loss.
  std::string last_;
  bool of_bar_ = false;    ///< See LossLine.
  bool open_end_ = false;  ///< Epoch and step come before the loss; only a validation's may come after it.
  LineLayout layout_;      ///< Of the previous line, up to its loss ...
  std::vector<CountField> fields_;  ///< ... and the counts in it.
};

}  // namespace adarun::monitor
