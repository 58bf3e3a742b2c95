// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/node_files.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/command.h"
#include "cli/console/print.h"
#include "cli/console/user_input.h"
#include "launcher/base/error.h"
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
      throw ExitError(exit_usage, "--path " + base::clean_line(pattern) + ": wanted a path without \"..\"");
}

std::string shown_patterns(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns)
    text += (text.empty() ? "" : " or ") + base::clean_line(pattern);
  return text;
}

constexpr std::chrono::milliseconds between_looks{500};

// Presents the files of all hosts as logs of a LogWatch, where the "rank" is the number of a file.
class HostLogs {
 public:
  explicit HostLogs(const std::vector<launcher::Host>& hosts) : hosts_(hosts) {}

  std::shared_ptr<launcher::FetchTarget> place(std::uint32_t node,
                                               const launcher::protocol::FoundFile& found) {
    const HostPath place{node, found.path};
    if (!copies_.contains(place)) {
      if (++files_of_[node] > NodeFiles::most_files)
        throw launcher::Error("one file too many: a node may show " + std::to_string(NodeFiles::most_files));
      copies_[place] = {std::make_shared<launcher::TemporaryCopy>(), found.inode};
      new_.insert(place);
    }
    Copy& copy = copies_.at(place);
    if (std::exchange(copy.inode, found.inode) != found.inode) copy.file->forget();
    return copy.file;
  }

  /// Adds new files to the watch, sorted by host and path.
  void settle() {
    for (const HostPath& place : std::exchange(new_, {})) {
      places_.push_back(place);
      watch_.add(copies_.at(place).file->path());
    }
    watch_.find();
  }

  monitor::LogWatch& watch() { return watch_; }

  LogNames names() const {
    return {[this](const monitor::LogFile& log) { return name_of(log.rank); },
            [this](const std::set<std::uint32_t>& numbers) { return names_of(numbers); }};
  }

 private:
  using HostPath = std::pair<std::uint32_t, std::string>;  ///< A host and a path there.
  struct Copy {
    std::shared_ptr<launcher::TemporaryCopy> file;
    std::uint64_t inode = 0;
  };

  std::string name_of(std::uint32_t number) const {
    return hosts_[places_[number].first].name + ":" + base::clean_line(places_[number].second);
  }

  std::string names_of(const std::set<std::uint32_t>& numbers) const {
    FoldedLines files;
    for (const std::uint32_t number : numbers)
      files.add(hosts_[places_[number].first].name, places_[number].second);
    return files.file_names();
  }

  const std::vector<launcher::Host>& hosts_;
  std::map<std::uint32_t, std::uint32_t> files_of_;  ///< Number of files by node.
  std::map<HostPath, Copy> copies_;
  std::set<HostPath> new_;        ///< Not yet added to `watch_`.
  std::vector<HostPath> places_;  ///< By number.
  monitor::LogWatch watch_{std::vector<std::filesystem::path>()};
};

bool all_lost(const NodeFiles& files) {
  return std::all_of(files.found().begin(), files.found().end(),
                     [](const launcher::FetchedNode& node) { return !node.reason.empty(); });
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

bool NodeFiles::fetch(const launcher::FetchSession::Continues& continues) {
  TerminalLine line(stderr);
  return fetch_->run([&](const launcher::FetchProgress& progress) {
    if (line.due()) line.show(progress_line(progress));
    return continues(progress);
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

int print_files(const std::vector<launcher::Host>& hosts, const LogsOptions& options, LineOptions lines) {
  UserInput input(UserInput::Keys::leave);
  HostLogs host_logs(hosts);
  NodeFiles files(hosts, options.nodes, options.paths, [&host_logs](std::uint32_t node, const auto& found) {
    return host_logs.place(node, found);
  });
  const auto continues = [&input](const auto&) {
    return input.wait(std::chrono::milliseconds(0)) == UserInput::Event::none;
  };
  if (!files.fetch(continues)) return exit_interrupted;
  host_logs.settle();
  if (options.tail) host_logs.watch().skip_to_last(*options.tail);
  if (lines.tags == LogTags::headings && host_logs.watch().logs().size() == 1 && !options.follow)
    lines.tags = LogTags::none;
  const bool is_grep = lines.filter.has_value();
  int status = files.report();
  LogStream stream(host_logs.watch(), std::move(lines), stdout, host_logs.names());
  bool taken = stream.print_all();
  while (taken && options.follow && !all_lost(files)) {
    if (input.wait(between_looks) != UserInput::Event::none || !files.fetch(continues)) {
      stream.finish();
      return exit_interrupted;
    }
    host_logs.settle();
    bool news = true;
    while (taken && news) taken = stream.print_new(news);
  }
  if (options.follow) status = files.report();
  stream.finish();
  files.leave();
  return status == exit_done && is_grep && !stream.any() ? exit_no : status;
}

}  // namespace adarun::cli
