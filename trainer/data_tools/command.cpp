// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/command.h"

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/clean_text.h"
#include "base/manual/help_format.h"
#include "trainer/base/error.h"
#include "trainer/base/whole_number_option.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/shard.h"
#include "trainer/data_tools/write.h"

namespace adarun::trainer::data_tools {
namespace {

/// Sums over the pixels of all images.
struct PixelSums {
  std::array<double, 3> first{};
  std::array<double, 3> second{};
  double pixels = 0;

  void add(const Image& image) {
    const auto channels = static_cast<std::size_t>(image.channels);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      const double value = image.pixels[i] / 255.0;
      first[i % channels] += value;
      second[i % channels] += value * value;
    }
    pixels += static_cast<double>(image.pixels.size() / channels);
  }
};

void add_size(DatasetSummary& summary, const Image& image, bool first) {
  const auto widen = [first](int& low, int& high, int value) {
    low = first ? value : std::min(low, value);
    high = first ? value : std::max(high, value);
  };
  widen(summary.fewest_rows, summary.most_rows, image.rows);
  widen(summary.fewest_columns, summary.most_columns, image.columns);
}

}  // namespace

DatasetSummary inspect(const Dataset& dataset) {
  DatasetSummary summary;
  summary.samples = dataset.size();
  summary.channels = dataset.channels();
  summary.per_class.resize(static_cast<std::size_t>(dataset.classes()));
  PixelSums sums;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    try {
      const Image image = dataset.picture(i);
      add_size(summary, image, sums.pixels == 0);
      sums.add(image);
      ++summary.per_class[static_cast<std::size_t>(dataset.label(i))];
    } catch (const Error& error) {
      summary.corrupt.emplace_back(error.what());
    }
  }
  for (std::size_t c = 0; c < 3 && sums.pixels > 0; ++c) {
    summary.mean[c] = sums.first[c] / sums.pixels;
    summary.deviation[c] =
        std::sqrt(std::max(0.0, sums.second[c] / sums.pixels - summary.mean[c] * summary.mean[c]));
  }
  return summary;
}

namespace {

/// A data set that shows on the terminal how many of its images were read: a bar on stderr that is updated in
/// place and erased at the end; nothing if stderr is not a terminal. For one thread.
class ProgressDataset : public Dataset {
 public:
  /// `what`: the text before the bar. `count`: how many images will be read. `dataset` must outlive it.
  ProgressDataset(const Dataset& dataset, std::string what, std::size_t count);
  ~ProgressDataset() override;
  ProgressDataset(const ProgressDataset&) = delete;
  ProgressDataset& operator=(const ProgressDataset&) = delete;

  std::size_t size() const override { return dataset_.size(); }
  int classes() const override { return dataset_.classes(); }
  int channels() const override { return dataset_.channels(); }
  int label(std::size_t index) const override { return dataset_.label(index); }
  Image picture(std::size_t index) const override;
  void sample(std::size_t index, const View& view, std::span<float> values) const override {
    dataset_.sample(index, view, values);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show() const;

  const Dataset& dataset_;
  std::string what_;
  std::size_t count_;
  bool is_terminal_;
  mutable std::size_t taken_ = 0;
  mutable Clock::time_point next_;
};

constexpr std::chrono::milliseconds between_lines{100};
constexpr std::size_t bar_width = 20;

ProgressDataset::ProgressDataset(const Dataset& dataset, std::string what, std::size_t count)
    : dataset_(dataset),
      what_(std::move(what)),
      count_(std::min(count, dataset.size())),
      is_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressDataset::~ProgressDataset() {
  if (taken_ > 0 && is_terminal_) std::fputs("\r\x1b[K", stderr);
}

Image ProgressDataset::picture(std::size_t index) const {
  ++taken_;
  if (is_terminal_ && Clock::now() >= next_) show();
  return dataset_.picture(index);
}

void ProgressDataset::show() const {
  next_ = Clock::now() + between_lines;
  const std::size_t full = bar_width * std::min(taken_, count_) / std::max<std::size_t>(count_, 1);
  const std::string bar = std::string(full, '#') + std::string(bar_width - full, '.');
  std::fprintf(stderr, "\radarun-trainer: %s: [%s] %zu of %zu images\x1b[K", what_.c_str(), bar.c_str(),
               taken_, count_);
}

struct DataOptions {
  std::string dataset = "digits";
  std::string from;
  std::string format = "idx";
  std::string to;
  std::size_t train = 0;  // images; 0: all
  std::size_t test = 0;
  int side = 64;
  std::uint64_t seed = 1;
  int shards = 16;
  std::size_t batch_size = 32;
  bool json = false;
};

constexpr const char* description = "Makes and looks at data sets.";
constexpr std::size_t all = ~std::size_t{0};
constexpr WholeNumbers counts{0, 0xFFFF'FFFF};  // What the header of an IDX file holds.
constexpr WholeNumbers seeds{0, ~std::uint64_t{0}};

const char* name_of(DatasetPart part) {
  return part == DatasetPart::train ? "train" : "test";
}

/// Writes the first `count` images of `dataset` to options.to in options.format, and prints a line about it.
void write_part(const DataOptions& options, const Dataset& dataset, std::size_t count, DatasetPart part) {
  const std::size_t written = std::min(count, dataset.size());
  {
    const ProgressDataset progress(dataset, std::string("writing ") + name_of(part), written);
    write(progress, written, options.format, options.to, part);
  }
  std::printf("%s: %zu images written to %s\n", name_of(part), written, options.to.c_str());
}

void draw(const DataOptions& options) {
  const bool folder = options.format == "imagefolder";
  const int side = folder ? options.side : 32;
  for (const auto& [part, count] :
       {std::pair(DatasetPart::train, options.train), std::pair(DatasetPart::test, options.test)}) {
    if (options.format == "idx") {
      write_part(options, Digits(part, options.seed), count, part);
    } else {
      write_part(options, ColourDigits(part, options.seed, count, side, folder), count, part);
    }
  }
}

void convert(const DataOptions& options) {
  for (const auto& [part, count] :
       {std::pair(DatasetPart::train, options.train), std::pair(DatasetPart::test, options.test)}) {
    const auto dataset = open_dataset(options.dataset, options.from, part, options.seed);
    write_part(options, *dataset, count == 0 ? all : count, part);
  }
}

nlohmann::json facts(const DatasetSummary& summary) {
  return {{"samples", summary.samples},
          {"channels", summary.channels},
          {"per_class", summary.per_class},
          {"rows", {summary.fewest_rows, summary.most_rows}},
          {"columns", {summary.fewest_columns, summary.most_columns}},
          {"mean", summary.mean},
          {"deviation", summary.deviation},
          {"corrupt", summary.corrupt}};
}

std::string range(int low, int high) {
  return low == high ? std::to_string(low) : std::to_string(low) + "-" + std::to_string(high);
}

void print(const char* part, const DatasetSummary& summary) {
  const auto [fewest, most] = std::ranges::minmax(summary.per_class);
  std::printf("%s: %zu images of %s x %s pixels, %d channels\n", part, summary.samples,
              range(summary.fewest_columns, summary.most_columns).c_str(),
              range(summary.fewest_rows, summary.most_rows).c_str(), summary.channels);
  std::printf("  classes: %zu, of %zu to %zu images\n", summary.per_class.size(), fewest, most);
  std::printf("  mean, deviation:");
  for (std::size_t c = 0; c < static_cast<std::size_t>(summary.channels); ++c) {
    std::printf(" %.4f, %.4f%s", summary.mean[c], summary.deviation[c],
                c + 1 == static_cast<std::size_t>(summary.channels) ? "\n" : ";");
  }
  for (const std::string& reason : summary.corrupt)
    std::printf("  corrupt: %s\n", base::clean_line(reason).c_str());
}

/// Prints a summary of the data set. Returns whether every image can be read.
bool look_at(const DataOptions& options) {
  bool whole = true;
  nlohmann::json json;
  for (const DatasetPart part : {DatasetPart::train, DatasetPart::test}) {
    const char* const name = name_of(part);
    const auto dataset = open_dataset(options.dataset, options.from, part, options.seed);
    const DatasetSummary summary =
        inspect(ProgressDataset(*dataset, std::string("reading ") + name, dataset->size()));
    whole = whole && summary.corrupt.empty();
    json[name] = facts(summary);
    if (!options.json) print(name, summary);
    if (!dataset->note().empty())
      std::fprintf(stderr, "adarun-trainer: %s: %s\n", name, base::clean_line(dataset->note()).c_str());
    if (part == DatasetPart::test) continue;
    const std::size_t steps = steps_per_epoch(summary.samples, options.shards, options.batch_size);
    json["steps_per_epoch"] = steps;
    if (options.json) continue;
    std::printf("  steps an epoch: %zu, with %d ranks and batches of %zu\n", steps, options.shards,
                options.batch_size);
  }
  // Names of files may be no UTF-8.
  const auto replace = nlohmann::json::error_handler_t::replace;
  if (options.json) std::printf("%s\n", base::escape_controls(json.dump(2, ' ', false, replace)).c_str());
  return whole;
}

void add_source(CLI::App& app, DataOptions& options) {
  app.add_option("--dataset", options.dataset)->check(CLI::IsMember(dataset_names()))->capture_default_str();
  app.add_option("--data-path", options.from, "Its folder")->envname("DATA_PATH");
  add_whole_number(app, "--seed", options.seed, seeds, "Of digits")->capture_default_str();
}

void add_target(CLI::App& app, DataOptions& options) {
  app.add_option("--format", options.format)->check(CLI::IsMember(format_names()))->capture_default_str();
  app.add_option("--out,-o", options.to, "Folder, made where it is not there")->required();
}

/// CLI11 runs the commands while it parses; they store their exit status in `status`.
void declare(CLI::App& app, DataOptions& options, int& status) {
  app.formatter(std::make_shared<manual::HelpFormat>());
  app.footer(R"(Examples:
  adarun-trainer data draw --format imagefolder --out flowers --train 400 --test 100
  adarun-trainer data convert --dataset mnist --data-path mnist --format cifar10 --out mnist10
  adarun-trainer data inspect --dataset imagefolder --data-path flowers)");
  CLI::App* drawing = app.add_subcommand("draw", "Draw a set of digits (in colour, but for idx)");
  add_target(*drawing, options);
  add_whole_number(*drawing, "--train", options.train, counts, "Images to learn from (default: 1000)");
  add_whole_number(*drawing, "--test", options.test, counts, "Images to measure on (default: 200)");
  add_whole_number(*drawing, "--side", options.side, {8, 2048},
                   "Of imagefolder: rows and columns are 3/4 to 3/2 of it")
      ->capture_default_str();
  add_whole_number(*drawing, "--seed", options.seed, seeds)->capture_default_str();
  drawing->callback([&options] {
    if (options.train == 0) options.train = 1000;
    if (options.test == 0) options.test = 200;
    draw(options);
  });
  CLI::App* converting = app.add_subcommand("convert", "Write a set in another format");
  add_source(*converting, options);
  add_target(*converting, options);
  add_whole_number(*converting, "--train", options.train, counts, "The first N images only");
  add_whole_number(*converting, "--test", options.test, counts, "The first N images only");
  converting->callback([&options] { convert(options); });
  CLI::App* inspecting =
      app.add_subcommand("inspect", "Read all of a set and say what it holds; 1: some of it is corrupt");
  add_source(*inspecting, options);
  add_whole_number(*inspecting, "--ranks", options.shards, {1, 1 << 20}, "For the steps of an epoch")
      ->capture_default_str();
  add_whole_number(*inspecting, "--batch-size", options.batch_size, {1, 1 << 20})->capture_default_str();
  inspecting->add_flag("--json", options.json);
  inspecting->callback([&options, &status] { status = look_at(options) ? 0 : 1; });
  app.require_subcommand(1);
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app(description, "adarun-trainer data");
  DataOptions options;
  int status = 0;
  declare(app, options, status);
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::Success& shown) {
    return app.exit(shown);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + " (see adarun-trainer data --help)", Exit::usage);
  }
}

std::vector<manual::Page> man_pages() {
  CLI::App app(description, "adarun-trainer data");
  DataOptions options;
  int status = 0;
  declare(app, options, status);
  return manual::man_pages(app, [](const std::string&) { return false; });
}

}  // namespace adarun::trainer::data_tools
