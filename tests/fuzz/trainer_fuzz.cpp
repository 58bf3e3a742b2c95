// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/boost/npy.h"
#include "trainer/checkpoint/file.h"
#include "trainer/checkpoint/latest.h"
#include "trainer/data/datasets/cifar10.h"
#include "trainer/data/datasets/mnist.h"
#include "trainer/data/images/image_file.h"
#include "trainer/data/images/jpeg.h"
#include "trainer/data/images/png.h"
#include "trainer/planner/json/graph_json.h"
#include "trainer/planner/json/links_json.h"
#include "trainer/planner/json/plan_json.h"

namespace trainer = adarun::trainer;
namespace planner = adarun::planner;

namespace {

/// Calls `read`; an Error that it throws begins with this name.
template <typename Read>
void read_or_name(std::string_view name, const Read& read) {
  try {
    read();
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with(name));
  }
}

constexpr std::string_view magic = "adarun checkpoint 2\n";

void read_or_refuse(const std::string& path) {
  demand(trainer::run_of(path).size() <= 4096);
  std::vector<float> first(3);
  std::vector<float> second(1);
  read_or_name(path, [&] { trainer::read_checkpoint(path, {"r-1", {{"model", "mlp"}}}, {first, second}); });
}

std::string with_checksum(std::string bytes) {
  const auto sum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

// A header of the right length, followed by values.
std::string checkpoint_of(std::string_view header, std::string_view values) {
  const std::uint64_t length = header.size();
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  return with_checksum(bytes.append(header).append(values));
}

// Any bytes as a checkpoint, with a correct checksum so that the code after it is reached: they give values
// and the position of the training, or an Error that names the file. The same bytes are also read as
// `latest`.
void fuzz_checkpoint(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  read_or_refuse(scratch.write("plain", bytes));
  read_or_refuse(scratch.write("checksum", with_checksum(std::string(magic) + std::string(bytes))));
  read_or_refuse(scratch.write("header", checkpoint_of(bytes, std::string(4 * sizeof(float), 'v'))));
  const std::string text(bytes);
  read_or_name("latest: ", [&] { demand(trainer::text_of(trainer::parse_latest("latest", text)) == text); });
}

// Any bytes as an IDX file, packed or not, give as many values as its shape says, or an Error that names the
// file.
void fuzz_idx(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("idx", bytes);
  read_or_name(path, [&] {
    const trainer::Idx idx = trainer::read_idx(path, trainer::Sharing());
    std::uint64_t wanted = 1;
    for (const std::uint32_t extent : idx.shape) wanted *= extent;
    demand(!idx.shape.empty() && idx.values.size() == wanted);
  });
}

std::string repeated(std::string_view text, std::size_t size) {
  std::string all;
  while (all.size() < size) all += text;
  all.resize(size);
  return all;
}

// Any bytes as CIFAR-10's test batch give pictures with labels below ten, or an Error that names file or
// folder. The first byte is how many times the others are repeated, and the second how many bytes are missing
// to whole records: few inputs would be whole records otherwise.
void fuzz_cifar10(std::string_view bytes) {
  if (bytes.size() < 3) return;
  static const adarun::test::ScratchFolder scratch;
  const std::size_t records = take_byte(bytes) % 4;
  const bool incomplete = take_byte(bytes) == 0xFF;
  scratch.write("test_batch.bin", repeated(bytes, records * trainer::Cifar10::record_size + incomplete));
  read_or_name(scratch.path().string(), [&] {
    const trainer::Cifar10 set(scratch.path(), trainer::DatasetPart::test);
    demand(set.size() == records && records > 0);
    for (std::size_t i = 0; i < set.size(); ++i) {
      demand(set.label(i) >= 0 && set.label(i) < set.classes());
      demand(set.picture(i).rows == trainer::Cifar10::side);
    }
  });
}

void demand_picture(const trainer::Image& image) {
  demand(image.rows > 0 && image.columns > 0 && image.channels == 3);
}

// Any bytes as a JPEG file give a picture of three channels, or an Error that names the file.
void fuzz_jpeg(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("picture.jpg", bytes);
  read_or_name(path, [&] { demand_picture(trainer::read_jpeg(trainer::open_to_read(path).get(), path)); });
}

std::size_t number_at(const std::string& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = 256 * value + static_cast<std::uint8_t>(bytes[i]);
  return value;
}

/// A chunk is the length of its data, four letters, data, and the checksum of letters and data.
void correct_checksums(std::string& bytes) {
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t covered = number_at(bytes, at) + 4;
    if (covered > bytes.size() - at - 8) return;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + at + 4, static_cast<uInt>(covered));
    at += 4 + covered;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes[at++] = static_cast<char>(sum >> shift);
  }
}

// Any bytes as a PNG file give a picture of three channels, or an Error that names the file. Checksums of
// chunks are corrected, so that more than the first chunk is read.
void fuzz_png(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  std::string corrected(bytes);
  correct_checksums(corrected);
  const std::string path = scratch.write("picture.png", corrected);
  read_or_name(path, [&] { demand_picture(trainer::read_png(trainer::open_to_read(path).get(), path)); });
}

// Any bytes as a file of NumPy give as many values as its header says, all finite, or an Error that names the
// file.
void fuzz_npy(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("p.npy", bytes);
  read_or_name(path, [&] {
    trainer::NpyFile file{path};
    demand(file.rows() > 0 && file.columns() > 0 && file.rows() <= bytes.size() / file.columns());
    std::vector<float> row(file.columns());
    for (std::size_t i = 0; i < file.rows(); ++i) {
      file.read_row(i, row);
      demand(std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); }));
    }
  });
}

/// Calls `check` unless it throws Error.
template <typename Check>
void unless_refused(const Check& check) {
  try {
    check();
  } catch (const planner::Error&) {
  }
}

void check_plan_of(const planner::ModelGraph& graph) {
  constexpr std::size_t few_layers = 6;
  if (graph.layers.size() > few_layers) return;
  const planner::ClusterSetting setting{.ranks = 4,
                                        .links = {{"node", 2, 1e-6, 1e-9, 1}, {"cluster", 4, 1e-5, 1e-8, 2}}};
  const planner::PlanReport report = make_report(graph, setting, planner::Search::dp, planner::no_limit);
  const double seconds = report.plan.seconds();
  demand(std::isfinite(seconds) && seconds <= report.data_parallel.seconds() * 1.0001);
  const planner::StoredPlan stored = planner::read_plan(planner::write_plan(report), "own");
  demand(strategies_for(stored, "own", graph, setting.ranks).size() == graph.layers.size());
  const double most_bytes = 0.7 * report.data_parallel.memory_bytes();
  unless_refused([&] {
    const planner::PlanReport small = make_report(graph, setting, planner::Search::dp, most_bytes);
    demand(small.plan.memory_bytes() <= most_bytes * (1 + 1e-9));
    demand(small.plan.seconds() >= seconds * (1 - 1e-9));
  });
}

// Any bytes are a model, costs, a plan, or an Error. What is read is read again as it was written, and a
// small model has a plan that its own reader takes.
void fuzz_planner_files(std::string_view bytes) {
  const std::string text(bytes);
  unless_refused([&] {
    const planner::ModelGraph graph = planner::read_graph(text, "file");
    demand(planner::read_graph(planner::write_graph(graph), "own") == graph);
    check_plan_of(graph);
  });
  unless_refused([&] {
    const planner::MeasuredLinks links = planner::read_links(text, "file");
    demand(planner::read_links(planner::write_links(links), "own") == links);
  });
  unless_refused([&] { planner::read_plan(text, "file"); });
}

const FuzzTargets trainer_targets{
    {"checkpoint", fuzz_checkpoint},
    {"idx", fuzz_idx},
    {"cifar10", fuzz_cifar10},
    {"jpeg", fuzz_jpeg},
    {"png", fuzz_png},
    {"npy", fuzz_npy},
    {"planner_files", fuzz_planner_files},
};

}  // namespace
