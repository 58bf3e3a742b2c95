// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_shape.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "monitor/parse/characters.h"
#include "monitor/parse/decimal.h"
#include "monitor/parse/digits.h"
#include "monitor/parse/line_end.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

// Longer runs of digits do not fit a count.
constexpr std::ptrdiff_t most_digits = 18;

const char* before_spaces(const char* begin, const char* at) {
  while (at != begin && at[-1] == ' ') --at;
  return at;
}

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, word_bytes);
  return word;
}

}  // namespace

LossShape::Literal::Literal(std::string_view text) : text_(text), size_(text.size()) {
  text_.resize((size_ + word_bytes - 1) / word_bytes * word_bytes);
  std::string mask(word_bytes, '\0');
  const std::size_t in_last = size_ - (text_.empty() ? 0 : text_.size() - word_bytes);
  std::fill_n(mask.begin(), in_last, '\xff');
  last_mask_ = word_at(mask.data());
}

bool LossShape::Literal::take(const char*& at, const char* end) const {
  const auto room = static_cast<std::size_t>(end - at);
  if (room < text_.size()) {
    if (room < size_ || std::memcmp(at, text_.data(), size_) != 0) return false;
    at += size_;
    return true;
  }
  if (text_.empty()) return true;
  const std::size_t last = text_.size() - word_bytes;
  for (std::size_t i = 0; i < last; i += word_bytes) {
    if (word_at(at + i) != word_at(text_.data() + i)) return false;
  }
  if (((word_at(at + last) ^ word_at(text_.data() + last)) & last_mask_) != 0) return false;
  at += size_;
  return true;
}

std::optional<LossShape> LossShape::of(std::string_view line, const LossPlaces& places) {
  if (!places.whole) return std::nullopt;
  LossShape shape;
  const char* const end = line.data() + line.size();
  const char* literal = line.data();
  const auto place_at = [&](const char* at) {
    if (at == places.loss.data()) return Place::loss;
    if (at == places.epoch.data()) return Place::epoch;
    if (at == places.step.data()) return Place::step;
    if (at == places.epochs.data()) return Place::epochs;
    if (at == places.steps_per_epoch.data()) return Place::steps_per_epoch;
    return Place::digits;
  };
  const auto comes_before = [](std::string_view place, std::string_view other) {
    return !place.empty() && place.data() < other.data();
  };
  for (const char* at = line.data(); at != end;) {
    const Place place = place_at(at);
    if (place == Place::digits && !is_digit(*at)) {
      ++at;
      continue;
    }
    std::uint64_t count = 0;
    const char* const behind = place == Place::loss ? at + places.loss.size() : read_digits(at, end, count);
    if (place != Place::loss && behind - at > most_digits) return std::nullopt;
    const char* const padding = before_spaces(literal, at);
    if (place == Place::loss && padding == at && at != line.data() && is_word(at[-1])) return std::nullopt;
    shape.parts_.push_back({Literal({literal, padding}), padding != at, place});
    literal = at = behind;
    if (place == Place::loss && comes_before(places.epoch, places.loss) &&
        comes_before(places.step, places.loss)) {
      shape.open_end_ = true;
      return shape;
    }
  }
  shape.last_ = Literal({literal, end});
  return shape;
}

bool LossShape::read(Place place, const char*& at, const char* end, LossLine& line) {
  if (place == Place::loss) {
    const char* const number = at != end && *at == '+' ? at + 1 : at;  // which from_chars does not take
    if (number != at && number != end && *number == '-') return false;
    at = number;
    return read_decimal(at, end, line.loss) && ends_value({at, static_cast<std::size_t>(end - at)});
  }
  const char* const begin = at;
  std::uint64_t count = 0;
  at = read_digits(at, end, count);
  if (at == begin || at - begin > most_digits) return false;
  switch (place) {
    case Place::epoch:
      line.epoch = count;
      break;
    case Place::step:
      line.step = count;
      break;
    case Place::epochs:
      line.epochs = count;
      break;
    case Place::steps_per_epoch:
      line.steps_per_epoch = count;
      break;
    case Place::digits:
    case Place::loss:
      break;
  }
  return true;
}

std::size_t LossShape::read(std::string_view text, LossLine& line) const {
  const char* at = text.data();
  const char* const end = at + text.size();
  line = {};
  for (const Part& part : parts_) {
    if (!part.before.take(at, end)) return npos;
    const char* const padding = at;
    while (part.padded && at != end && *at == ' ') ++at;
    if (part.padded && at == padding) return npos;
    if (!read(part.place, at, end, line)) return npos;
  }
  if (open_end_) at += line_length({at, static_cast<std::size_t>(end - at)});
  if (!last_.take(at, end) || at == end || !ends_line(*at)) return npos;
  return static_cast<std::size_t>(at - text.data());
}

}  // namespace adarun::monitor
