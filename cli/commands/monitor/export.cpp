// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/export.h"

#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/file_descriptor.h"
#include "base/new_file.h"
#include "base/system_text.h"
#include "cli/console/written_file.h"
#include "monitor/plot/csv.h"
#include "monitor/plot/loss_plot.h"
#include "monitor/plot/picture.h"

namespace adarun::cli {
namespace {

namespace plot = monitor::plot;

/// The output file, or stdout for "-".
class ExportFile {
 public:
  explicit ExportFile(const std::string& name) : name_(name) {
    if (name == "-") return;
    file_.emplace(name, readable_and_writable);
    if (*file_) stream_ = ::fdopen(::fcntl(file_->fd(), F_DUPFD_CLOEXEC, 0), "wb");
    own_ = base::CFile(*file_ ? stream_ : nullptr);
    if (!own_) fail();
  }

  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) fail();
  }

  void finish() {
    const int status =
        own_ ? std::fclose(own_.release()) : std::fflush(stream_);  // NOLINT: its result counts
    if (status != 0 || (file_ && !file_->put_in_place())) fail();
  }

 private:
  static constexpr mode_t readable_and_writable = 0666;

  [[noreturn]] void fail() const {
    throw std::runtime_error(name_ + ": cannot be written: " + base::system_text(errno));
  }

  std::string name_;
  std::optional<base::NewFile> file_;
  std::FILE* stream_ = stdout;
  base::CFile own_;  ///< What `stream_` is and finish() closes; null for stdout, which stays open.
};

}  // namespace

void add_export_options(CLI::App& command, ExportOptions& options) {
  command.add_option("--plot", options.plot, "Draw the loss as a picture, and end")
      ->type_name("FILE.svg|FILE.png")
      ->check(CLI::Validator(plot::picture_problem, ""));
  command
      .add_option("--csv", options.csv,
                  "Write the loss of each rank and step as a table (-: stdout), and end")
      ->type_name("FILE");
}

void export_runs(const std::vector<ReadRun>& runs, const ExportOptions& options) {
  if (!options.plot.empty()) {
    std::vector<plot::NamedRun> named;
    named.reserve(runs.size());
    for (const ReadRun& run : runs) named.push_back({run.id, run.run.get()});
    ExportFile output(options.plot);
    output.write(plot::picture(plot::loss_plot(named), options.plot));
    output.finish();
    say_written(options.plot);
  }
  if (options.csv.empty()) return;
  ExportFile output(options.csv);
  output.write(plot::csv_heading());
  for (const ReadRun& run : runs)
    plot::csv_lines(run.id, *run.run, [&](std::string_view bytes) { output.write(bytes); });
  output.finish();
  say_written(options.csv);
}

}  // namespace adarun::cli
