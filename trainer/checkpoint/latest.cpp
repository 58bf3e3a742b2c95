// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/latest.h"

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>

#include "base/new_file.h"
#include "trainer/base/error.h"
#include "trainer/base/run_id.h"
#include "trainer/checkpoint/durable_file.h"
#include "trainer/checkpoint/file.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

constexpr const char* name = "latest";

// The first bytes of a file, more than text_of() gives; nothing if it cannot be opened.
std::optional<std::string> text_in(const fs::path& file) {
  constexpr std::size_t longest = 256;
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(longest, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

}  // namespace

std::string text_of(const Latest& latest) {
  std::string text = "run " + latest.run + "\n";
  if (!latest.writer.empty()) text += "writer " + latest.writer + "\n";
  for (const std::int64_t steps : latest.steps) text += "step " + std::to_string(steps) + "\n";
  return text;
}

Latest parse_latest(const fs::path& file, const std::string& text) {
  if (!text.empty() && text.find_first_not_of("0123456789\n") == std::string::npos) {
    throw Error(file.string() + ": " + left_weights_out);
  }
  Latest latest;
  std::istringstream in(text);
  std::string word;
  std::int64_t steps = 0;
  in >> word >> latest.run >> word;
  if (word == "writer") in >> latest.writer >> word;
  for (; word == "step" && in >> steps && steps >= 0; in >> word) latest.steps.push_back(steps);
  // Accepts only text in exactly the form that text_of() writes.
  const bool has_ids = is_run_id(latest.run) && (latest.writer.empty() || is_run_id(latest.writer));
  if (!has_ids || latest.steps.empty() || latest.steps.size() > 2 || text_of(latest) != text)
    throw Error(file.string() + ": does not say which checkpoints are good");
  return latest;
}

std::optional<Latest> read_latest(const fs::path& folder) {
  const fs::path file = folder / name;
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return std::nullopt;
  if (error) throw Error(file.string() + ": cannot be opened: " + error.message());
  // Opening a pipe would block until there is a writer.
  if (!fs::is_regular_file(file, error)) throw Error(file.string() + ": not a regular file");
  const std::optional<std::string> text = text_in(file);
  if (!text) throw Error(file.string() + ": cannot be opened");
  return parse_latest(file, *text);
}

bool is_unfinished_latest(const fs::path& file, const std::string& run) {
  std::error_code error;
  const bool has_name = file.extension() == base::unfinished_suffix && file.stem().stem() == name;
  if (!has_name || fs::symlink_status(file, error).type() != fs::file_type::regular) return false;
  const std::string begin = "run " + run + "\n";
  return begin.starts_with(text_in(file).value_or("?").substr(0, begin.size()));
}

void write_latest(const fs::path& folder, const Latest& latest) {
  const std::string text = text_of(latest);
  replace_durably(folder / name, {std::as_bytes(std::span(text))});
}

}  // namespace adarun::trainer
