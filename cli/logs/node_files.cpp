// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/node_files.h"

#include <cstdio>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/command.h"
#include "cli/console/terminal_line.h"
#include "launcher/hosts/name_ranges.h"

namespace adarun::cli {
namespace {

std::string progress_line(const launcher::FetchProgress& progress) {
  if (progress.files == 0)
    return "adarun: connecting: " + progress_bar(progress.nodes_connected, progress.nodes) + " " +
           std::to_string(progress.nodes_connected) + " of " + base::counted(progress.nodes, "node");
  return "adarun: collecting: " + progress_bar(progress.bytes_done, progress.bytes) + " " +
         base::describe_bytes(progress.bytes_done) + " of " + base::describe_bytes(progress.bytes) + ", " +
         std::to_string(progress.files_done) + " of " + base::counted(progress.files, "file") + ", " +
         std::to_string(progress.nodes_done) + " of " + base::counted(progress.nodes, "node") + " done";
}

void refuse_ways_back(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    if (("/" + pattern + "/").find("/../") != std::string::npos)
      throw Quit(exit_usage, "--path " + base::clean_line(pattern) + ": wanted a path without \"..\"");
}

std::string shown_patterns(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns)
    text += (text.empty() ? "" : " or ") + base::clean_line(pattern);
  return text;
}

}  // namespace

NodeFiles::NodeFiles(std::vector<launcher::Host> hosts, const NodeOptions& options,
                     std::vector<std::string> patterns, launcher::FetchSession::Place place)
    : hosts_(std::move(hosts)), patterns_(std::move(patterns)) {
  refuse_ways_back(patterns_);
  const launcher::Targets targets = options.reach->locate(hosts_, options);
  launcher::log_targets(hosts_, targets, options.log);
  transport_ = connect(options, targets, hosts_, files_);
  fetch_ = std::make_unique<launcher::FetchSession>(
      *transport_, hosts_.size(), launcher::protocol::Find{patterns_, most_files}, std::move(place));
}

bool NodeFiles::fetch(const launcher::FetchSession::GoesOn& goes_on) {
  TerminalLine line(stderr);
  return fetch_->run([&](const launcher::FetchProgress& progress) {
    if (line.due()) line.show(progress_line(progress));
    return goes_on(progress);
  });
}

int NodeFiles::report() const {
  FoldedLines failed;
  FoldedLines others;
  bool is_any_without = false;
  bool is_any_failed = false;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const launcher::FetchedNode& node = found()[i];
    for (const std::string& path : node.left_out)
      others.add(hosts_[i].name, base::clean_line(path) + ": left out");
    for (const launcher::FetchedFile& file : node.files)
      if (node.reason.empty() && !file.reason.empty())
        failed.add(hosts_[i].name, base::clean_line(file.found.path) + ": " + base::clean_line(file.reason));
    if (!node.reason.empty()) failed.add(hosts_[i].name, base::clean_line(node.reason));
    const bool is_without = node.reason.empty() && node.files.empty();
    if (is_without) others.add(hosts_[i].name, "no file matches " + shown_patterns(patterns_));
    is_any_without = is_any_without || is_without;
  }
  const std::string text = failed.text("adarun: ");
  is_any_failed = !text.empty();
  std::fprintf(stderr, "%s%s", others.text("adarun: ").c_str(), text.c_str());
  return is_any_failed ? exit_failed : is_any_without ? exit_no : exit_done;
}

void FoldedLines::add(const std::string& host, const std::string& line) {
  const auto [known, is_new] = number_of_.try_emplace(line, lines_.size());
  if (is_new)
    lines_.push_back({line, {host}});
  else
    lines_[known->second].second.push_back(host);
}

std::string FoldedLines::text(const std::string& before) const {
  std::string text;
  for (const auto& [line, hosts] : lines_) text += before + launcher::fold_names(hosts) + ": " + line + "\n";
  return text;
}

std::string FoldedLines::file_names() const {
  std::string text;
  for (const auto& [path, hosts] : lines_)
    text += (text.empty() ? "" : " ") + launcher::fold_names(hosts) + ":" + base::clean_line(path);
  return text;
}

}  // namespace adarun::cli
