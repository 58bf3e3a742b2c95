// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_printer.h"

#include "base/clean_text.h"
#include "cli/arguments/rank_set.h"

namespace adarun::cli {
namespace {

// Longer lines are printed in pieces of this size.
constexpr std::size_t most_line_bytes = 1U << 20U;

// A piece with a tag is a line.
base::LineRules rules_for(LogTags tags) {
  const bool as_is = tags != LogTags::ranks;
  return {base::LineEnd::newline, as_is ? base::Overlong::unchanged : base::Overlong::split, most_line_bytes};
}

}  // namespace

LogNames own_names() {
  return {[](const monitor::LogFile& log) { return log.path.string(); }, shown_ranks};
}

LogNames names_of_job(const std::string& job) {
  const std::string name = base::clean_line(job) + ":";
  return {[name](const monitor::LogFile& log) { return name + " " + log.path.string(); },
          [name](const std::set<std::uint32_t>& ranks) { return name + shown_ranks(ranks); }};
}

LogNames with_roles(const LogNames& names, std::map<std::uint32_t, std::string> role_of_rank) {
  const auto role = [roles = std::move(role_of_rank)](std::uint32_t rank) {
    const auto found = roles.find(rank);
    return found == roles.end() ? std::string() : found->second;
  };
  const auto heading = [role, of_log = names.heading](const monitor::LogFile& log) {
    const std::string name = role(log.rank);
    return of_log(log) + (name.empty() ? "" : " (role " + name + ")");
  };
  const auto brackets = [role, of_ranks = names.brackets](const std::set<std::uint32_t>& ranks) {
    const std::string name = ranks.size() == 1 ? role(*ranks.begin()) : "";
    return of_ranks(ranks) + (name.empty() ? "" : " " + name);
  };
  return {heading, brackets, names.proceed};
}

void write_tagged(std::FILE* out, std::string_view tag, std::string_view lines) {
  base::for_each_line(lines, base::LineEnd::newline, [out, tag](std::string_view line) {
    std::fwrite(tag.data(), 1, tag.size(), out);
    std::fwrite(line.data(), 1, line.size(), out);
  });
}

bool LogPrinter::print(const monitor::LogFile& log, std::string_view bytes) {
  if (tags_ == LogTags::none) {
    write(bytes);
    return flush();
  }
  Cut& cut = cut_.try_emplace(log.rank, Cut{{}, base::LineCutter(rules_for(tags_))}).first->second;
  cut.log = log;
  cut.lines.feed(bytes, [&](std::string_view lines) { put(log, lines); });
  return flush();
}

void LogPrinter::begin_anew(const monitor::LogFile& log) {
  const auto cut = cut_.find(log.rank);
  if (cut != cut_.end()) cut->second.lines.finish([&](std::string_view lines) { put(log, lines); });
  if (is_in_line_ && (tags_ == LogTags::none || current_ == log.rank)) write("\n");
}

bool LogPrinter::finish() {
  for (auto& [rank, cut] : cut_)
    cut.lines.finish([&, &log = cut.log](std::string_view lines) { put(log, lines); });
  if (tags_ == LogTags::headings && is_in_line_) write("\n");
  return flush();
}

void LogPrinter::write(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), out_);
  if (!bytes.empty()) is_in_line_ = bytes.back() != '\n';
}

void LogPrinter::put(const monitor::LogFile& log, std::string_view lines) {
  if (lines.empty()) return;
  if (tags_ == LogTags::headings && current_ != log.rank) {
    if (is_in_line_) write("\n");
    write((current_ || names_.proceed ? "\n==> " : "==> ") + names_.heading(log) + " <==\n");
    current_ = log.rank;
  }
  if (tags_ != LogTags::ranks) return write(lines);
  write_tagged(out_, "[" + names_.brackets({log.rank}) + "] ", lines);
}

}  // namespace adarun::cli
