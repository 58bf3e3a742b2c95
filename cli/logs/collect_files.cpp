// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/collect_files.h"

#include <cstdio>

#include "base/describe.h"
#include "cli/console/counted.h"
#include "cli/console/user_input.h"
#include "cli/logs/node_files.h"
#include "cli/options/command.h"
#include "launcher/fetch/arriving_file.h"

namespace adarun::cli {
namespace {

std::string told(const launcher::FetchedNode& node) {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t new_bytes = 0;
  bool all_kept = true;
  for (const launcher::FetchedFile& file : node.files) {
    if (!file.reason.empty()) continue;
    ++files;
    bytes += file.found.size_bytes;
    new_bytes += file.new_bytes;
    all_kept = all_kept && file.how == launcher::Arrived::kept;
  }
  if (files == 0) return "";
  std::string text = counted(files, "file") + ", " + base::describe_bytes(bytes);
  if (all_kept) return text + ", all here already";
  return new_bytes < bytes ? text + ", " + base::describe_bytes(new_bytes) + " of it new" : text;
}

}  // namespace

int collect_files(const std::vector<launcher::Host>& hosts, const NodeOptions& options,
                  const std::vector<std::string>& patterns, const std::string& folder) {
  UserInput input(UserInput::Keys::leave);
  launcher::HomeFolder home(folder);
  const auto place = [&](std::uint32_t node, const launcher::protocol::FoundFile& found) {
    return std::make_shared<launcher::ArrivingFile>(home.place(hosts[node].name, found.path), found);
  };
  NodeFiles files(hosts, options, patterns, place);
  const bool is_whole = files.fetch(
      [&input](const auto&) { return input.wait(std::chrono::milliseconds(0)) == UserInput::Event::none; });
  if (!is_whole)
    throw Quit(exit_interrupted,
               "interrupted; what has come so far is in " + folder + ", and the same command goes on there");
  files.leave();
  FoldedLines lines;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (const std::string line = told(files.found()[i]); !line.empty()) lines.add(hosts[i].name, line);
  std::printf("%s", lines.text("").c_str());
  std::fflush(stdout);
  return files.report();
}

}  // namespace adarun::cli
