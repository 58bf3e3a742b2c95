// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_shape.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/line_cutter.h"
#include "monitor/base/text.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

// Longer runs of digits may overflow a count.
constexpr std::ptrdiff_t most_count_digits = 18;

const char* skip_digits(const char* at, const char* end) {
  return std::find_if_not(at, end, is_digit);
}

static_assert(std::endian::native == std::endian::little, "eight digits are read as a little-endian word");

constexpr unsigned word_bytes = sizeof(std::uint64_t);

// Appends the digits at the beginning of the eight bytes at `at` to `number`; returns how many there are.
inline unsigned append_digits(const char* at, std::uint64_t& number) {
  static constexpr std::array<std::uint64_t, 9> powers{1,       10,        100,        1'000,      10'000,
                                                       100'000, 1'000'000, 10'000'000, 100'000'000};
  std::uint64_t word = 0;
  std::memcpy(&word, at, word_bytes);
  // Sets the high bit of each byte that is not a digit; exact up to the first such byte.
  const std::uint64_t others =
      ((word + 0x4646464646464646U) | (word - 0x3030303030303030U)) & 0x8080808080808080U;
  const unsigned count = static_cast<unsigned>(std::countr_zero(others)) / 8;
  if (count == 0) return 0;
  // Shifts zeros in before the digits' values; then joins neighbours into numbers of two digits, four, eight.
  word = (word << (64 - 8 * count)) & 0x0f0f0f0f0f0f0f0fU;
  word = word * 10 + (word >> 8U);
  constexpr std::uint64_t low = 0x000000ff000000ffU;
  const std::uint64_t value =
      ((word & low) * 0x000f424000000064U + ((word >> 16U) & low) * 0x0000271000000001U) >> 32U;
  number = number * powers[count] + value;
  return count;
}

// Reads a loss in the form that most have, "2.302585124969482": a digit, a point and up to 16 decimals, then
// a line end, a space or a comma. Does not move past any other text, nor near the end of the bytes.
inline bool read_short_loss(const char*& at, const char* end, double& loss) {
  // Integers up to `most_exact`, and these powers of ten, are exact as doubles. Their quotient is rounded
  // only once, so it is correctly rounded (Clinger, "How to read floating point numbers accurately", 1990).
  constexpr std::uint64_t most_exact = std::uint64_t{1} << 53U;
  static constexpr std::array<double, 17> powers_of_ten{1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                                        1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
  constexpr std::ptrdiff_t most = 2 + 2 * word_bytes + 1;
  if (end - at < most || !is_digit(at[0]) || at[1] != '.') return false;
  auto digits = static_cast<std::uint64_t>(at[0] - '0');
  unsigned decimals = append_digits(at + 2, digits);
  if (decimals == word_bytes) decimals += append_digits(at + 2 + word_bytes, digits);
  const char* const behind = at + 2 + decimals;
  if (digits > most_exact || !(*behind == '\n' || *behind == ' ' || *behind == ',')) return false;
  loss = static_cast<double>(digits) / powers_of_ten[decimals];
  at = behind;
  return true;
}

inline bool read_loss(const char*& at, const char* end, double& loss) {
  if (read_short_loss(at, end, loss)) return true;
  const char* const number = at != end && *at == '+' ? at + 1 : at;  // from_chars does not accept '+'
  if (number != at && number != end && *number == '-') return false;
  const auto [rest, wrong] = std::from_chars(number, end, loss);
  if (wrong != std::errc()) return false;
  at = rest;
  const std::string_view behind(at, static_cast<std::size_t>(end - at));
  return ends_value(behind) && !has_thousands({number, at}, behind);
}

// Moves past `text` if it is at `at`; else returns false.
bool take_text(std::string_view text, const char*& at, const char* end) {
  const auto room = static_cast<std::size_t>(end - at);
  if (room < text.size() || std::memcmp(at, text.data(), text.size()) != 0) return false;
  at += text.size();
  return true;
}

const char* before_spaces(const char* begin, const char* at) {
  while (at != begin && at[-1] == ' ') --at;
  return at;
}

}  // namespace

void LineLayout::learn(std::string_view text) {
  size_ = text.size();
  vectors_ = size_ <= most_bytes ? (size_ + lanes - 1) / lanes : 0;
  for (std::size_t i = 0; i < vectors_ * lanes; ++i) {
    const bool inside = i < size_;
    const bool digit = inside && is_digit(text[i]);
    text_[i / lanes][i % lanes] = static_cast<std::uint8_t>(digit ? '0' : inside ? text[i] : '\0');
    most_apart_[i / lanes][i % lanes] = digit ? 9 : inside ? 0 : 0xff;
  }
}

std::optional<LossShape> LossShape::of(std::string_view line, const LossPlaces& places) {
  if (!places.whole) return std::nullopt;
  LossShape shape;
  shape.of_bar_ = places.of_bar;
  const char* const end = line.data() + line.size();
  const char* literal = line.data();
  const auto place_at = [&](const char* at) {
    if (at == places.loss.data()) return loss;
    if (at == places.epoch.data()) return epoch;
    if (at == places.step.data()) return step;
    if (at == places.epochs.data()) return epochs;
    if (at == places.steps_per_epoch.data()) return steps_per_epoch;
    return digits;
  };
  const auto comes_before = [](std::string_view place, std::string_view other) {
    return !place.empty() && place.data() < other.data();
  };
  bool behind_loss = false;
  for (const char* at = line.data(); at != end;) {
    const Place place = place_at(at);
    if (place == digits && !is_digit(*at)) {
      ++at;
      continue;
    }
    const bool is_loss = place == loss;
    const char* const behind = is_loss ? at + places.loss.size() : skip_digits(at, end);
    if (!is_loss && behind - at > most_count_digits) return std::nullopt;
    // Digits behind it may be a group of thousands in another line.
    if (!is_loss && place != digits && end - behind > 1 && behind[0] == ',' && is_digit(behind[1]))
      return std::nullopt;
    const char* const padding = before_spaces(literal, at);
    if (is_loss && padding == at && at != line.data() && is_word(at[-1])) return std::nullopt;
    Part part{{literal, padding}, padding != at, place};
    if (is_loss)
      shape.loss_ = std::move(part);
    else
      (behind_loss ? shape.tail_ : shape.head_).push_back(std::move(part));
    behind_loss |= is_loss;
    literal = at = behind;
    if (is_loss && comes_before(places.epoch, places.loss) && comes_before(places.step, places.loss)) {
      shape.open_end_ = true;
      return shape;
    }
  }
  shape.last_.assign(literal, end);
  return shape;
}

bool LossShape::Part::reach(const char*& at, const char* end) const {
  if (!take_text(before, at, end)) return false;
  const char* const padding = at;
  while (padded && at != end && *at == ' ') ++at;
  return !padded || at != padding;
}

// The member that a place holds; `place` is neither `digits` nor `loss`.
LossShape::Count LossShape::count_of(Place place) {
  switch (place) {
    case epoch:
      return &LossLine::epoch;
    case step:
      return &LossLine::step;
    case epochs:
      return &LossLine::epochs;
    default:
      return &LossLine::steps_per_epoch;
  }
}

bool LossShape::take_count(Place place, const char*& at, const char* end, std::uint64_t& count) {
  const char* const begin = at;
  at = skip_digits(at, end);
  if (at == begin || at - begin > most_count_digits) return false;
  if (place != digits) std::from_chars(begin, at, count);
  return true;
}

// Where the loss begins in the line; null if the line has another shape. Tries the offsets of the previous
// line first.
inline const char* LossShape::behind_head(std::string_view text, LossLine& line) {
  const char* const loss = text.data() + layout_.size();
  if (!layout_.fits(text) || *loss == ' ')  // a space here means more padding than before
    return learn_head(text, line);
  for (const CountField& field : fields_) {
    const char* const at = text.data() + field.offset;
    std::uint64_t count = 0;
    std::from_chars(at, at + field.digits, count);
    line.*field.count = count;
  }
  return loss;
}

const char* LossShape::learn_head(std::string_view text, LossLine& line) {
  const char* at = text.data();
  const char* const end = at + text.size();
  std::vector<CountField> fields;
  for (const Part& part : head_) {
    std::uint64_t count = 0;
    if (!part.reach(at, end)) return nullptr;
    const char* const begin = at;
    if (!take_count(part.place, at, end, count)) return nullptr;
    if (part.place == digits) continue;
    line.*count_of(part.place) = count;
    fields.push_back({static_cast<std::uint32_t>(begin - text.data()), static_cast<std::uint32_t>(at - begin),
                      count_of(part.place)});
  }
  if (!loss_.reach(at, end)) return nullptr;
  layout_.learn(text.substr(0, static_cast<std::size_t>(at - text.data())));
  fields_ = std::move(fields);
  return at;
}

bool LossShape::read_tail(const char*& at, const char* end, LossLine& line) const {
  for (const Part& part : tail_) {
    std::uint64_t count = 0;
    if (!part.reach(at, end) || !take_count(part.place, at, end, count)) return false;
    if (part.place != digits) line.*count_of(part.place) = count;
  }
  return take_text(last_, at, end);
}

std::size_t LossShape::read(std::string_view text, LossLine& line) {
  const char* const end = text.data() + text.size();
  const char* at = behind_head(text, line);
  if (at == nullptr || !read_loss(at, end, line.loss)) return npos;
  line.of_bar = of_bar_;
  if (open_end_) {
    if (at != end && !ends_line(*at)) {
      const std::string_view rest(at, static_cast<std::size_t>(end - at));
      const std::size_t length = base::line_length(rest, base::log_lines.end);
      if (may_report_validation(rest.substr(0, length))) return npos;
      at += length;
    }
  } else if (!read_tail(at, end, line)) {
    return npos;
  }
  if (at == end || !ends_line(*at)) return npos;
  return static_cast<std::size_t>(at - text.data());
}

}  // namespace adarun::monitor
