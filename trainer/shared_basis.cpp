// SPDX-License-Identifier: Apache-2.0
#include "trainer/shared_basis.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/boost/basis.h"
#include "trainer/boost/npy.h"
#include "trainer/checkpoint/run_identity.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

std::size_t trainable_values(const Model& model) {
  std::int64_t values = 0;
  for (const TensorShape& tensor : model.parameters) values += tensor.count();
  return static_cast<std::size_t>(values);
}

/// Runs `work` on this rank. An error of any rank becomes one of all. Collective.
void on_all(adasum::Communicator& communicator, const std::function<void()>& work) {
  std::string error;
  try {
    work();
  } catch (const std::exception& failed) {
    error = failed.what();
  }
  error = first_text(error, communicator);
  if (!error.empty()) throw Error(error, Exit::refused);
}

/// The checkpoints of one rank, the oldest first.
std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step_") && name.ends_with(".rank_0")) files.push_back(entry.path());
  }
  if (error) throw Error(folder.string() + ": cannot be read: " + error.message());
  std::ranges::sort(files);
  return files;
}

/// The weights in checkpoint files.
class CheckpointSamples {
 public:
  CheckpointSamples(std::vector<fs::path> files, const Model& model) : files_(std::move(files)) {
    for (const fs::path& file : files_) {
      weights_.push_back(find_weights(file, model_facts(model)));
      if (weights_.back().count != trainable_values(model)) {
        throw Error(file.string() + ": holds " + std::to_string(weights_.back().count) +
                    " weights: this model has " + std::to_string(trainable_values(model)));
      }
    }
  }

  void read(std::size_t row, std::size_t column, std::span<float> values) const {
    std::ifstream file(files_[row], std::ios::binary);
    file.seekg(static_cast<std::streamoff>(weights_[row].offset + column * sizeof(float)));
    const std::span<std::byte> bytes = std::as_writable_bytes(values);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
      throw Error(files_[row].string() + ": cannot be read");
  }

 private:
  std::vector<fs::path> files_;
  std::vector<StoredWeights> weights_;
};

/// Makes the file of the basis on this rank, and returns its name.
std::string make_file(const DimReduceOptions& options, const Model& model) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(options.timeout_s));
  std::vector<fs::path> files = checkpoints_in(options.checkpoint_dir);
  const std::size_t rows = files.size();
  const CheckpointSamples checkpoints(std::move(files), model);
  const WeightSamples samples{rows, trainable_values(model),
                              [&](std::size_t row, std::size_t column, std::span<float> values) {
                                checkpoints.read(row, column, values);
                              }};
  const fs::path file = fs::path(options.checkpoint_dir) / "pca_mat_temp.npy";
  write_basis(samples, {options.components, deadline}, file);
  return file.string();
}

/// The file of the basis, on the first rank of a node.
std::string find_or_make_file(const DimReduceOptions& options, const Model& model) {
  std::error_code error;
  if (!options.basis_file.empty() && fs::exists(options.basis_file, error)) return options.basis_file;
  if (options.checkpoint_dir.empty())
    throw Error(options.basis_file + ": no such file (dim_reduce.pca_mat_path)");
  return make_file(options, model);
}

SharedBasis read_rows(const std::string& name, const DimReduceOptions& options, const Model& model,
                      const adasum::Communicator& communicator) {
  NpyFile file{fs::path(name)};
  const auto components = static_cast<std::size_t>(options.components);
  const std::size_t values = trainable_values(model);
  if (file.rows() != components || file.columns() != values) {
    throw Error(name + ": " + std::to_string(file.rows()) + " x " + std::to_string(file.columns()) +
                ": wanted " + std::to_string(components) + " (n_components) x " + std::to_string(values) +
                " (trainable values of the model)");
  }
  const adasum::Range mine = basis_rows(components, communicator.rank(), communicator.size());
  SharedBasis basis{components, values, std::vector<float>(mine.size() * values)};
  for (std::size_t row = mine.begin; row < mine.end; ++row)
    file.read_row(row, std::span(basis.rows).subspan((row - mine.begin) * values, values));
  return basis;
}

/// A checksum of all ranks' rows.
std::string identity_of(const SharedBasis& basis, adasum::Communicator& communicator) {
  const std::uint64_t mine = checksum(basis.rows);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::uint64_t sum = 0;
  for (const std::uint64_t one : all) sum = sum * 0x100000001B3U + one;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(sum));
  return text.data();
}

}  // namespace

SharedBasis load_basis(const DimReduceOptions& options, const Model& model,
                       adasum::Communicator& communicator) {
  const std::unique_ptr<adasum::Communicator> node = communicator.split_by_node();
  std::string file;
  on_all(communicator, [&] {
    if (node->rank() == 0) file = find_or_make_file(options, model);
  });
  file = text_of_first_rank(file, *node);
  SharedBasis basis;
  on_all(communicator, [&] { basis = read_rows(file, options, model, communicator); });
  basis.identity = identity_of(basis, communicator);
  return basis;
}

}  // namespace adarun::trainer
