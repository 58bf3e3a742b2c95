// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/shared_basis.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/boost/basis.h"
#include "trainer/boost/npy.h"
#include "trainer/checkpoint/saver.h"
#include "trainer/models/weights.h"

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
  std::string failure;  // the exit status, as a character, and the message
  const auto fail = [&failure](Exit status, const std::string& message) {
    failure = static_cast<char>(status) + message;
  };
  try {
    work();
  } catch (const Error& error) {
    fail(error.status(), error.what());
  } catch (const std::exception& error) {
    fail(Exit::failed, error.what());
  }
  failure = first_text(failure, communicator);
  if (!failure.empty())
    throw Error(failure.substr(1), static_cast<Exit>(static_cast<unsigned char>(failure.front())));
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

/// The weights in checkpoint files, which read() borrows.
WeightSamples samples_in(const std::vector<fs::path>& files, const Model& model, const BasisLimits& limits) {
  std::vector<StoredWeights> weights;
  for (const fs::path& file : files) {
    limits.check_deadline();
    weights.push_back(find_weights(file, model_facts(model)));
    if (weights.back().count != trainable_values(model)) {
      throw Error(file.string() + ": holds " + std::to_string(weights.back().count) +
                      " weights: this model has " + std::to_string(trainable_values(model)),
                  Exit::refused);
    }
  }
  const auto read = [&files, weights](std::size_t row, std::size_t column, std::span<float> values) {
    std::ifstream file(files[row], std::ios::binary);
    file.seekg(static_cast<std::streamoff>(weights[row].offset + column * sizeof(float)));
    const std::span<std::byte> bytes = std::as_writable_bytes(values);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
      throw Error(files[row].string() + ": cannot be read");
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
      throw Error(files[row].string() + ": holds NaN or infinity", Exit::refused);
  };
  return {files.size(), trainable_values(model), read};
}

/// Makes the file of the basis.
fs::path make_file(const DimReduceOptions& options, const Model& model) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(options.timeout_s));
  const BasisLimits limits{options.components, deadline};
  const std::vector<fs::path> files = checkpoints_in(options.checkpoint_dir);
  fs::path file = fs::path(options.checkpoint_dir) / "pca_mat_temp.npy";
  write_basis(samples_in(files, model, limits), limits, file);
  return file;
}

/// The file of the basis; made if need be.
fs::path find_or_make_file(const DimReduceOptions& options, const Model& model) {
  std::error_code error;
  const bool is_there = !options.basis_file.empty() && fs::exists(options.basis_file, error);
  if (error) throw Error(options.basis_file + ": cannot be read: " + error.message());
  if (is_there) return options.basis_file;
  if (options.checkpoint_dir.empty())
    throw Error(options.basis_file + ": no such file (dim_reduce.pca_mat_path)");
  return make_file(options, model);
}

/// The file of the basis, open. Throws Error if it is not a matrix of the wanted size.
NpyFile open_basis(const DimReduceOptions& options, const Model& model) {
  const fs::path name = find_or_make_file(options, model);
  NpyFile file(name);
  const auto components = static_cast<std::size_t>(options.components);
  const std::size_t values = trainable_values(model);
  if (file.rows() != components || file.columns() != values) {
    throw Error(name.string() + ": " + std::to_string(file.rows()) + " x " + std::to_string(file.columns()) +
                    ": wanted " + std::to_string(components) + " (n_components) x " + std::to_string(values) +
                    " (trainable values of the model)",
                Exit::refused);
  }
  return file;
}

/// Reads the rows of rank 0 into the basis, and sends the others theirs from `sent`, which has room for a
/// row. After an error the rest is sent as it is, since the ranks wait for it, and the error thrown at the
/// end.
void send_rows(NpyFile& file, SharedBasis& basis, std::span<float> sent, adasum::Communicator& communicator) {
  std::exception_ptr failure;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const adasum::Range rows = basis_rows(basis.components, rank, communicator.size());
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      const std::span<float> into =
          rank == 0 ? std::span(basis.rows).subspan(row * basis.values, basis.values) : sent;
      try {
        if (!failure) file.read_row(row, into);
      } catch (const Error&) {
        failure = std::current_exception();
      }
      if (rank != 0) communicator.send(rank, std::as_bytes(into));
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Receives the rows of this rank, one of those after rank 0.
void receive_rows(SharedBasis& basis, adasum::Communicator& communicator) {
  for (std::size_t begin = 0; begin < basis.rows.size(); begin += basis.values)
    communicator.receive(0, std::as_writable_bytes(std::span(basis.rows).subspan(begin, basis.values)));
}

/// A checksum of the checksums of all rows, in their order: the same for any number of ranks.
std::string identity_of(const SharedBasis& basis, adasum::Communicator& communicator) {
  const std::size_t share = basis_rows(basis.components, 0, communicator.size()).size();
  std::vector<std::uint64_t> mine(share);  // The last ranks may have fewer rows, or none.
  for (std::size_t row = 0; row * basis.values < basis.rows.size(); ++row)
    mine[row] = checksum(std::span(basis.rows).subspan(row * basis.values, basis.values));
  std::vector<std::uint64_t> all(share * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < basis.components; ++row) sum = sum * 0x100000001B3U + all[row];
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(sum));
  return text.data();
}

}  // namespace

SharedBasis load_basis(const DimReduceOptions& options, const Model& model,
                       adasum::Communicator& communicator) {
  SharedBasis basis{static_cast<std::size_t>(options.components), trainable_values(model), {}};
  std::optional<NpyFile> file;
  std::vector<float> sent;  // Allocated before other ranks wait for rows.
  on_all(communicator, [&] {
    const adasum::Range mine = basis_rows(basis.components, communicator.rank(), communicator.size());
    basis.rows.resize(mine.size() * basis.values);
    if (communicator.rank() != 0) return;
    file.emplace(open_basis(options, model));
    sent.resize(basis.values);
  });
  on_all(communicator, [&] {
    if (file)
      send_rows(*file, basis, sent, communicator);
    else
      receive_rows(basis, communicator);
  });
  basis.identity = identity_of(basis, communicator);
  return basis;
}

std::chrono::milliseconds waits_for_basis(const DimReduceOptions& options, std::chrono::milliseconds usual) {
  // Rank 0 looks at its clock between two parts of its work only.
  const auto longest = std::chrono::duration<double>(options.timeout_s) +
                       std::chrono::duration<double>(std::chrono::minutes(1));
  return std::max(usual, std::chrono::ceil<std::chrono::milliseconds>(longest));
}

}  // namespace adarun::trainer
