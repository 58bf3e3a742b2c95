// SPDX-License-Identifier: Apache-2.0
//
// Each log of corpus/ is parsed as its file of expectations says, however its bytes are split. Logs of a
// framework begin with the addresses of what they show: its source, its documentation, or logs of its users.
#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "monitor/parse/log_reader.h"

namespace adarun::monitor {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Number>
std::string text_of(Number value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string all(text.data(), end);
  return all == "-nan" ? "nan" : all;
}

/// Writes what is parsed from a log, one line each.
class Writer {
 public:
  LogListener listener() {
    return {.loss = [this](const LossLine& line) { add_loss("loss ", line); },
            .metrics =
                [this](const MetricLine& line) {
                  text_ += "metrics";
                  add("epoch_ms", line.epoch_ms);
                  add("step_ms", line.step_ms);
                  add("images_per_s", line.images_per_s);
                  add("accuracy", line.accuracy);
                  text_ += "\n";
                },
            .gradient =
                [this](const GradientLine& line) {
                  text_ += "gradient epoch " + text_of(line.epoch) + " step " + text_of(line.step) +
                           " rank " + text_of(line.rank) + "\n";
                },
            .validation = [this](const LossLine& line) { add_loss("validation ", line); }};
  }
  const std::string& text() const { return text_; }

 private:
  void add_loss(const std::string& name, const LossLine& line) {
    text_ += name + text_of(line.loss);
    add("epoch", line.epoch);
    add("step", line.step);
    add("epochs", line.epochs);
    add("steps", line.steps_per_epoch);
    add("of", line.steps);
    text_ += "\n";
  }

  void add(const std::string& name, const auto& value) {
    if (value) text_ += " " + name + " " + text_of(*value);
  }

  std::string text_;
};

// What is parsed from bytes that arrive in pieces of this size.
std::string reading(const std::string& bytes, std::size_t piece) {
  Writer writer;
  LogReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    reader.feed(bytes.substr(at, piece), writer.listener());
  reader.finish(writer.listener());
  return writer.text();
}

std::vector<fs::path> logs() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(ADARUN_CORPUS))
    if (entry.path().extension() == ".log") found.push_back(entry.path());
  return found;
}

TEST(Corpus, IsReadAsExpectedInOnePiece) {
  EXPECT_GE(logs().size(), 29U);
  for (const fs::path& log : logs()) {
    const std::string expected = content(fs::path(log).replace_extension(".expected"));
    EXPECT_FALSE(expected.empty()) << log;
    EXPECT_EQ(reading(content(log), std::string::npos), expected) << log;
  }
}

TEST(Corpus, IsReadAlikeInPiecesOfAnySize) {
  for (const fs::path& log : logs())
    for (const std::size_t piece : {1U, 2U, 7U, 64U, 100U})
      EXPECT_EQ(reading(content(log), piece), reading(content(log), std::string::npos)) << log << piece;
}

TEST(Corpus, IsReadAlikeAfterAllOthers) {
  std::string before;
  for (const fs::path& log : logs()) before += content(log) + "\n";
  for (const fs::path& log : logs()) {
    LogReader reader;
    Writer of_others;
    reader.feed(before, of_others.listener());
    reader.reset();
    Writer writer;
    reader.feed(content(log), writer.listener());
    reader.finish(writer.listener());
    EXPECT_EQ(writer.text(), reading(content(log), std::string::npos)) << log;
  }
}

}  // namespace
}  // namespace adarun::monitor
