// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_shape.h"

#include <cstdint>
#include <cstring>

#include "base/line_cutter.h"
#include "monitor/base/text.h"
#include "monitor/parse/decimal.h"
#include "monitor/parse/keyword.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

// Longer runs of digits may overflow a count.
constexpr std::ptrdiff_t most_count_digits = 18;

std::uint64_t long_count_at(const char* at, unsigned digits) {
  std::uint64_t count = 0;
  read_digits(at, at + digits, count);
  return count;
}

// Eight bytes must be readable at `at`.
inline std::uint64_t count_at(const char* at, unsigned digits) {
  return digits <= word_bytes ? value_of_digits(word_at(at), digits) : long_count_at(at, digits);
}

bool read_any_loss(const char*& at, const char* end, double& loss) {
  const char* const number = at != end && *at == '+' ? at + 1 : at;  // from_chars does not accept '+'
  if (number != at && number != end && *number == '-') return false;
  at = number;
  if (!read_decimal(at, end, loss)) return false;
  const std::string_view behind(at, static_cast<std::size_t>(end - at));
  return ends_value(behind) && !has_thousands({number, at}, behind);
}

// Same as read_any_loss, but inline for the losses that most logs have.
inline bool read_loss(const char*& at, const char* end, double& loss) {
  const char* behind = at;
  ShortDecimal number;
  if (!number.take(behind, end) || !number.is_exact() ||
      !(*behind == '\n' || *behind == ' ' || *behind == ','))
    return read_any_loss(at, end, loss);
  loss = number.value();
  at = behind;
  return true;
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
  at = place == digits ? skip_digits(at, end) : read_digits(at, end, count);
  return at != begin && at - begin <= most_count_digits;
}

// Where the loss begins in the line; null if the line has another shape. Tries the offsets of the previous
// line first.
inline const char* LossShape::behind_head(std::string_view text, LossLine& line) {
  const char* const loss = text.data() + layout_.size();
  if (!layout_.fits(text) || *loss == ' ')  // a space here means more padding than before
    return learn_head(text, line);
  for (std::size_t i = 0; i < fields_.size; ++i) {
    const CountField& field = fields_.all[i];
    line.*field.count = count_at(text.data() + field.offset, field.digits);
  }
  return loss;
}

const char* LossShape::learn_head(std::string_view text, LossLine& line) {
  const char* at = text.data();
  const char* const end = at + text.size();
  CountFields fields;
  for (const Part& part : head_) {
    std::uint64_t count = 0;
    if (!part.reach(at, end)) return nullptr;
    const char* const begin = at;
    if (!take_count(part.place, at, end, count)) return nullptr;
    if (part.place == digits) continue;
    line.*count_of(part.place) = count;
    fields.all[fields.size++] = {static_cast<std::uint32_t>(begin - text.data()),
                                 static_cast<std::uint32_t>(at - begin), count_of(part.place)};
  }
  if (!loss_.reach(at, end)) return nullptr;
  layout_.learn(text.substr(0, static_cast<std::size_t>(at - text.data())));
  fields_ = fields;
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
