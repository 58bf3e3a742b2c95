// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/view_state.h"

#include <algorithm>
#include <charconv>

#include "monitor/base/text.h"

namespace adarun::monitor {
namespace {

constexpr char escape = '\x1b';
constexpr std::size_t longest_sequence = 32;

// Whether `begun`, which begins with an escape character, is a complete sequence: "ESC [ A", "ESC O A",
// "ESC [ 1 ~".
bool is_whole(const std::string& begun) {
  if (begun.size() < 2) return false;
  if (begun[1] != '[' && begun[1] != 'O') return true;
  return begun.size() > 2 && begun.back() >= '@' && begun.back() <= '~';
}

std::optional<Key> key_of(std::string_view sequence) {
  switch (sequence.back()) {
    case 'A':
      return Key{Key::Kind::up};
    case 'B':
      return Key{Key::Kind::down};
    case 'C':
      return Key{Key::Kind::right};
    case 'D':
      return Key{Key::Kind::left};
    case 'H':
      return Key{Key::Kind::home};
    case 'F':
      return Key{Key::Kind::end};
    case '~':
      if (sequence == "\x1b[1~" || sequence == "\x1b[7~") return Key{Key::Kind::home};
      if (sequence == "\x1b[4~" || sequence == "\x1b[8~") return Key{Key::Kind::end};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Key> key_of(char c) {
  if (c == '\r' || c == '\n') return Key{Key::Kind::enter};
  if (c >= ' ' && c <= '~') return Key{Key::Kind::character, c};
  return std::nullopt;
}

constexpr unsigned most_zoom = 16;
constexpr int most_smooth = 64;

double share_shown(const ViewState& state) {
  return 1 / static_cast<double>(1U << state.zoom);
}

void zoom_by(ViewState& state, int steps) {
  const int zoom = static_cast<int>(state.zoom) + steps;
  state.zoom = static_cast<unsigned>(std::clamp(zoom, 0, static_cast<int>(most_zoom)));
  if (state.zoom == 0) state.middle = 1;
}

// Moves by quarters of the part shown. A view at the end stays at the end, so that new steps are seen as they
// come.
void move_by(ViewState& state, double quarters) {
  const double half = share_shown(state) / 2;
  const double middle = std::min(state.middle, 1 - half) + quarters * half / 2;
  state.middle = middle >= 1 - half ? 1 : std::max(middle, half);
}

// Selects the rank `steps` after the selected one, by number; none beyond either end.
void select(ViewState& state, const Run& run, int steps) {
  const auto& ranks = run.ranks();
  if (ranks.empty()) return;
  if (!state.rank) {
    state.rank = steps > 0 ? ranks.begin()->first : ranks.rbegin()->first;
    return;
  }
  const auto at = ranks.find(*state.rank);
  const bool leaves = at == ranks.end() || (steps > 0 ? std::next(at) == ranks.end() : at == ranks.begin());
  state.rank = leaves ? std::nullopt : std::optional((steps > 0 ? std::next(at) : std::prev(at))->first);
}

void select_typed(ViewState& state, const Run& run) {
  std::uint32_t number = 0;
  const char* const end = state.number.data() + state.number.size();
  const bool whole = std::from_chars(state.number.data(), end, number).ptr == end && !state.number.empty();
  if (whole && run.ranks().contains(number)) state.rank = number;
  state.number.clear();
}

bool press_character(ViewState& state, char c) {
  constexpr std::size_t most_digits = 9;
  if (is_digit(c)) {
    if (state.number.size() < most_digits) state.number += c;
    return true;
  }
  state.number.clear();
  switch (lower(c)) {
    case '+':
    case '=':
      zoom_by(state, 1);
      return true;
    case '-':
      zoom_by(state, -1);
      return true;
    case 'l':
      state.log_scale = !state.log_scale;
      return true;
    case 's':
      state.smooth = state.smooth >= most_smooth ? 1 : state.smooth * 4;
      return true;
    case 'a':
      state.rank.reset();
      return true;
    case 'r':
      state = {};
      return true;
    case '?':
    case 'h':
      state.help = !state.help;
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<Key> KeyReader::feed(std::string_view bytes) {
  std::vector<Key> keys;
  for (const char c : bytes) {
    std::optional<Key> key;
    if (begun_.empty() && c != escape) {
      key = key_of(c);
    } else if (begun_ == "\x1b" && c == escape) {
      key = Key{Key::Kind::escape};
    } else {
      begun_ += c;
      if (!is_whole(begun_) && begun_.size() < longest_sequence) continue;
      key = begun_.size() > 2 ? key_of(begun_) : std::nullopt;
      begun_.clear();
    }
    if (key) keys.push_back(*key);
  }
  return keys;
}

std::vector<Key> KeyReader::finish() {
  const bool alone = begun_ == "\x1b";
  begun_.clear();
  return alone ? std::vector<Key>{{Key::Kind::escape}} : std::vector<Key>{};
}

bool ViewState::press(const Key& key, const Run& run) {
  switch (key.kind) {
    case Key::Kind::character:
      return press_character(*this, key.character);
    case Key::Kind::up:
    case Key::Kind::down:
      select(*this, run, key.kind == Key::Kind::down ? 1 : -1);
      return true;
    case Key::Kind::left:
    case Key::Kind::right:
      move_by(*this, key.kind == Key::Kind::right ? 1 : -1);
      return true;
    case Key::Kind::home:
      middle = share_shown(*this) / 2;
      return true;
    case Key::Kind::end:
      middle = 1;
      return true;
    case Key::Kind::enter:
      select_typed(*this, run);
      return true;
    case Key::Kind::escape:
      help = false;
      rank.reset();
      number.clear();
      return true;
  }
  return false;
}

std::span<const MergedPoint> ViewState::part_of(const std::vector<MergedPoint>& merged) const {
  if (zoom == 0 || merged.empty()) return merged;
  const auto first = static_cast<double>(merged.front().position);
  const double length = static_cast<double>(merged.back().position) - first;
  const double half = share_shown(*this) / 2;
  const double center = std::clamp(middle, half, 1 - half);
  const auto at = [&](double share) {
    return std::partition_point(merged.begin(), merged.end(), [&](const MergedPoint& point) {
      return static_cast<double>(point.position) < first + share * length;
    });
  };
  const auto begin = at(center - half);
  const auto end = center + half >= 1 ? merged.end() : at(center + half);
  return {begin, end};
}

std::string ViewState::describe() const {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (zoom > 0) add("zoom " + std::to_string(1U << zoom) + "x");
  if (log_scale) add("log scale");
  if (smooth > 1) add("smooth " + std::to_string(smooth));
  if (rank) add("rank " + std::to_string(*rank));
  if (!number.empty()) add("rank " + number + "_");
  return text;
}

std::vector<std::string> help_lines() {
  return {"+ -          zoom in, zoom out",
          "left right   earlier, later (when zoomed); Home, End",
          "up down      the curve of one rank; 1 2 Enter: of rank 12; a: of all",
          "s            smooth more, at last not at all",
          "l            logarithmic scale, linear scale",
          "r            as it was at first",
          "? q          this help; quit"};
}

}  // namespace adarun::monitor
