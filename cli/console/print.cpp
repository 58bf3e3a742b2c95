// SPDX-License-Identifier: Apache-2.0
#include "cli/console/print.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include "base/system_text.h"

namespace adarun::cli {
namespace {

// SGR codes of ECMA-48, in the order of AnsiStyle.
constexpr std::array ansi_codes{"1", "31", "1;31", "32", "33", "36"};

constexpr std::chrono::milliseconds between_lines{100};
constexpr std::size_t bar_width = 20;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !base::continues_code_point(byte); }));
}

bool are_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool is_number(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return are_digits(text);
  return are_digits(text.substr(0, point)) && are_digits(text.substr(point + 1));
}

// Makes all texts of a column as wide as the widest.
void align(std::vector<std::vector<std::string>>& rows, std::size_t column) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, characters(row[column]));
  const bool is_numeric =
      std::all_of(rows.begin() + 1, rows.end(), [column](const auto& row) { return is_number(row[column]); });
  for (auto& row : rows)
    row[column].insert(is_numeric ? 0 : row[column].size(), width - characters(row[column]), ' ');
}

}  // namespace

std::string columns(std::vector<std::vector<std::string>> rows) {
  if (rows.empty()) return "";
  for (std::vector<std::string>& row : rows)
    for (std::string& cell : row) cell = base::clean_line(cell);
  for (std::size_t column = 0; column < rows.front().size(); ++column) align(rows, column);
  std::string lines;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (const std::string& cell : row) line += cell + "  ";
    lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return lines;
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    widest = std::max(widest, characters(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return widest;
}

std::optional<std::size_t> terminal_columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::string with_digits(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

void print_all(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw std::runtime_error(std::string("stdout: cannot be written: ") + base::system_text(errno));
}

void say_written(const std::string& file) {
  if (file == "-") return;
  std::fflush(stdout);  // What was printed before the file stands before this line.
  std::fprintf(stderr, "adarun: wrote %s\n", base::clean_line(file).c_str());
}

std::string AnsiColors::operator()(AnsiStyle style, const std::string& text) const {
  if (!wanted_) return text;
  return std::string("\x1b[") + ansi_codes[static_cast<std::size_t>(style)] + "m" + text + "\x1b[0m";
}

bool wants_color(const std::string& choice, const char* no_color, bool is_terminal) {
  const bool forbidden = no_color != nullptr && *no_color != '\0';
  return choice == "always" || (choice == "auto" && !forbidden && is_terminal);
}

TerminalLine::TerminalLine(std::FILE* out) : out_(out), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

void TerminalLine::show(const std::string& text) {
  if (!due()) return;
  next_ = Clock::now() + between_lines;
  is_shown_ = true;
  std::fprintf(out_, "\r%s\x1b[K", text.c_str());
  std::fflush(out_);
}

void TerminalLine::clear() {
  if (!is_shown_) return;
  is_shown_ = false;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
}

std::string progress_bar(std::uint64_t done, std::uint64_t all) {
  const double share = all == 0 ? 1 : static_cast<double>(std::min(done, all)) / static_cast<double>(all);
  const auto full = static_cast<std::size_t>(share * bar_width);
  return "[" + std::string(full, '#') + std::string(bar_width - full, '.') + "]";
}

}  // namespace adarun::cli
