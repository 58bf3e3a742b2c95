// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/parse/byte_lanes.h"
#include "monitor/parse/loss_line.h"

namespace adarun::monitor {

/// How a line began: its characters, any digit being as good as another. Where the next line begins alike,
/// its numbers stand at the same places and have as many digits, which a few vector comparisons tell.
class LineLayout {
 public:
  /// Bytes that text must have behind its layout, so that numbers are read by whole words.
  static constexpr std::size_t room_behind = 8;

  /// Longer beginnings are not learnt.
  static constexpr std::size_t most_bytes = 8 * lanes;

  /// Remembers how this text, the beginning of a line, looks.
  void learn(std::string_view text);

  /// Whether `text` begins so. False before anything was learnt, and where `text` is too short to tell.
  bool fits(std::string_view text) const {
    if (vectors_ == 0 || text.size() < vectors_ * lanes + room_behind) return false;
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
  Vectors text_{};        ///< With '0' for each digit, which differs from other digits by their values, ...
  Vectors most_apart_{};  ///< ... so by 9 at most; other characters by 0, what is behind the text by all.
};

/// The shape of a loss line: its text with places for numbers and the spaces before them. A log repeats few
/// shapes millions of times, and a line of a known shape is read an order of magnitude faster than a line of
/// none, with the same result; faster still where its numbers before the loss stand where they stood in the
/// line before, which it remembers.
class LossShape {
 public:
  /// The shape of `line`, whose values stand at `places`; none for a line that another of the same shape
  /// could be read differently from.
  static std::optional<LossShape> of(std::string_view line, const LossPlaces& places);

  /// Reads the line that `text` begins with, which ends at a line end. Gives the length of the line without
  /// its end and fills `line`, which is empty or of this shape; npos for a line of another shape, of which
  /// parse_loss_line must judge, or where `text` has no line end.
  std::size_t read(std::string_view text, LossLine& line);

  static constexpr std::size_t npos = std::string_view::npos;

 private:
  enum Place { epoch, step, epochs, steps_per_epoch, counts, digits = counts, loss };

  /// Some text as it is, kept in words of eight bytes: most pieces are a word or two long, for which a call
  /// to compare them would cost more than comparing does.
  class Literal {
   public:
    Literal() = default;
    explicit Literal(std::string_view text);

    /// Moves behind the text where it stands at `at`.
    bool take(const char*& at, const char* end) const;

   private:
    std::string text_;  ///< Filled up with zeros to whole words.
    std::size_t size_ = 0;
    std::uint64_t last_mask_ = 0;  ///< The bytes of the last word that count.
  };

  /// Some text, then a place, perhaps padded with spaces.
  struct Part {
    Literal before;
    bool padded = false;
    Place place = digits;

    /// Moves behind the text and its padding.
    bool reach(const char*& at, const char* end) const;
  };

  using Count = std::optional<std::uint64_t> LossLine::*;

  /// Where a count stood before the loss in the line read last.
  struct CountField {
    std::uint32_t offset = 0;
    std::uint32_t digits = 0;
    Count count = nullptr;
  };
  struct CountFields {
    std::array<CountField, counts> all;
    std::size_t size = 0;
  };

  static Count count_of(Place place);
  static bool take_count(Place place, const char*& at, const char* end, std::uint64_t& count);
  const char* behind_head(std::string_view text, LossLine& line);
  const char* learn_head(std::string_view text, LossLine& line);
  bool read_tail(const char*& at, const char* end, LossLine& line) const;

  std::vector<Part> head_;  ///< Before the loss.
  Part loss_;
  std::vector<Part> tail_;  ///< Behind it.
  Literal last_;
  bool open_end_ = false;  ///< All was found: what follows the loss cannot matter.
  LineLayout layout_;      ///< Of the last line up to its loss ...
  CountFields fields_;     ///< ... and what stood in it.
};

}  // namespace adarun::monitor
