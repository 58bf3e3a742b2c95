// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/job_name.h"

#include <algorithm>

#include "base/clean_text.h"

namespace adarun::cli {
namespace {

constexpr std::size_t most_name_bytes = 63;
constexpr std::string_view id_shape = "dddddddd-dddddd-xxxxxx";  // d: a digit, x: a hexadecimal digit
constexpr std::size_t date_bytes = 8;
constexpr const char* job_help = "A job id, its beginning, a job's name, or a log folder";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool fits(char c, char shape) {
  if (shape == 'd') return is_digit(c);
  return shape == 'x' ? is_digit(c) || (c >= 'a' && c <= 'f') : c == shape;
}

// Why a job cannot have this name; empty if it can.
std::string objection_to(const std::string& name) {
  const std::string quoted = "\"" + base::clean_line(name) + "\": ";
  if (!is_job_name(name))
    return quoted + "wanted a letter or digit, then at most 62 letters, digits, '.', '_' and '-'";
  if (name.size() >= date_bytes && begins_like_job_id(name))
    return quoted + "looks like the id of a job; choose another name";
  return "";
}

}  // namespace

bool is_job_name(std::string_view text) {
  if (text.empty() || text.size() > most_name_bytes) return false;
  const auto is_plain = [](char c) { return is_digit(c) || is_ascii_letter(c); };
  return is_plain(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_plain(c) || c == '.' || c == '_' || c == '-';
         });
}

bool begins_like_job_id(std::string_view text) {
  return !text.empty() && text.size() <= id_shape.size() &&
         std::equal(text.begin(), text.end(), id_shape.begin(), fits);
}

bool is_job_id(std::string_view text) {
  return text.size() == id_shape.size() && begins_like_job_id(text);
}

void add_job_name(CLI::App& command, std::string& name) {
  command.add_option("--name", name, "A name for the job, to say instead of its id")
      ->check(CLI::Validator(objection_to, ""))
      ->type_name("NAME");
}

CLI::Validator names_a_place() {
  const auto check = [](const std::string& text) {
    return text.empty() ? std::string("\"\" names no job (a variable that is not set?)") : std::string();
  };
  return CLI::Validator(check, "");
}

void add_job_argument(CLI::App& command, std::string& job) {
  command.add_option("job", job, job_help)->check(names_a_place())->type_name("JOB");
}

CLI::Option* add_job_arguments(CLI::App& command, std::vector<std::string>& jobs) {
  return command.add_option("job", jobs, job_help)->check(names_a_place())->type_name("JOB");
}

}  // namespace adarun::cli
