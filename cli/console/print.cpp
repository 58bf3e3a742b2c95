// SPDX-License-Identifier: Apache-2.0
#include "cli/console/print.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <stdexcept>

#include "base/system_text.h"

namespace adarun::cli {
namespace {

struct ColumnLayout {
  std::size_t width = 0;
  bool is_numeric = true;
};

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

bool are_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool is_number(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return are_digits(text);
  return are_digits(text.substr(0, point)) && are_digits(text.substr(point + 1));
}

std::vector<ColumnLayout> measure(const std::vector<std::vector<std::string>>& rows) {
  std::vector<ColumnLayout> measured(rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < measured.size(); ++j) {
      measured[j].width = std::max(measured[j].width, characters(rows[i][j]));
      if (i > 0 && !is_number(rows[i][j])) measured[j].is_numeric = false;
    }
  }
  return measured;
}

}  // namespace

std::string columns(std::vector<std::vector<std::string>> rows) {
  if (rows.empty()) return "";
  for (std::vector<std::string>& row : rows)
    for (std::string& cell : row) cell = base::clean_line(cell);
  const std::vector<ColumnLayout> measured = measure(rows);
  std::string lines;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string blanks(measured[j].width - characters(row[j]), ' ');
      line += measured[j].is_numeric ? blanks + row[j] : row[j] + blanks;
      line += "  ";
    }
    lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return lines;
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

}  // namespace adarun::cli
