// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/line_cutter.h"
#include "cli/logs/line_folder.h"
#include "cli/view/job_view.h"

namespace adarun::cli {

/// Which output of the ranks to show, and how.
struct OutputOptions {
  enum class Tags {
    none,
    ranks,   ///< "[3] text", or "[3 decode] text" in a job with roles.
    folded,  ///< "[0-7] text": one line for all ranks that print it.
  };
  Tags tags = Tags::none;
  std::set<std::uint32_t> only = {};  ///< Show only these ranks; empty: all.
  bool errors_only = false;           ///< Show only stderr.
};

/// Prints the ranks' stdout to our stdout and their stderr to our stderr, in complete lines, so that the
/// output of several ranks does not mix within a line. Without tags the bytes are those that the ranks wrote:
/// a line end is added only where a line that has none yet (longer than 64 KiB, or a rank's last one) is
/// followed by something else, and on a terminal behind the last line.
class OutputView : public JobView {
 public:
  OutputView(BackgroundOutput& output, const OutputOptions& shown) : JobView(output), shown_(shown) {}

  void begin(const launcher::Plan& plan) override;
  void end() override;
  void say(const std::string& line) override;
  void on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) override;
  void on_exited(std::uint32_t rank, const launcher::RankRecord& record) override;
  void on_failure(const launcher::Failure& failure) override;
  void on_tick() override;

 private:
  using Key = std::pair<std::uint32_t, launcher::protocol::Stream>;

  void print(const Key& key, std::string_view lines);
  void pass_on(const Key& key, std::string_view bytes);
  void end_open_line(std::FILE* out);
  std::string tag_of(std::uint32_t rank) const;
  void finish(const Key& key, base::LineCutter& cutter);
  void fold(const Key& key, std::string_view lines);
  std::FILE* stream_of(launcher::protocol::Stream stream) const;
  void flush(std::uint32_t rank);

  using Clock = std::chrono::steady_clock;

  OutputOptions shown_;
  std::vector<std::string> role_of_rank_;                     ///< Of lines with the number of a rank.
  std::map<launcher::protocol::Stream, LineFolder> folders_;  ///< If lines are folded.
  std::string failure_;                                       ///< Message of the first failure.
  std::optional<Clock::time_point> say_stopping_;
  std::map<Key, base::LineCutter> cut_;
  /// Whose line without end was written last, by stream; without tags.
  std::map<std::FILE*, Key> open_lines_;
};

}  // namespace adarun::cli
