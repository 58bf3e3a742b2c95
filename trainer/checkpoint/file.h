// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/base/progress.h"

namespace adarun::trainer {

/// Facts about the job of a checkpoint: names and values. A job cannot resume from a checkpoint if any fact
/// differs. A fact without a value is the same as none.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// The fact that may differ from one checkpoint of a run to the next: how many ranks wrote it.
inline constexpr const char* ranks_fact = "number of ranks";

/// How ranks combine what they learn: `adasum`, `mean`, `sum` or `none`, and by AdaSum `of gradients` or
/// `of deltas`. One rank combines nothing.
inline constexpr const char* reduction_fact = "reduction";
inline constexpr const char* adasum_fact = "adasum";

/// Which run and job a checkpoint belongs to.
struct RunIdentity {
  std::string run;  ///< The id of the run that writes it.
  Facts job;
  Facts settings = {};  ///< These may differ from one checkpoint to the next.
};

/// The position of a training when a checkpoint was written.
struct CheckpointState {
  int epoch = 1;
  int step = 0;                                 ///< The last completed step of the epoch.
  std::vector<std::int64_t> steps_taken = {0};  ///< By each optimizer.
  double loss_scale = 1;                        ///< 0: it is not dynamic.
  std::int64_t taken_in_a_row = 0;              ///< Consecutive steps taken with this loss scale.
  std::int64_t rounds = 0;    ///< With several optimizers, one of which steps in each round.
  EarlierSteps earlier = {};  ///< Of this epoch.

  bool operator==(const CheckpointState&) const = default;
};

/// As JSON text, as checkpoints hold it. parse_state() throws Error on other text.
std::string text_of(const CheckpointState& state);
CheckpointState parse_state(const std::string& text);

/// The header data of a checkpoint, without the values.
struct CheckpointHeader {
  CheckpointState state;
  Facts settings;

  bool operator==(const CheckpointHeader&) const = default;
};

/// Why files of format 1 are refused.
inline constexpr const char* left_weights_out =
    "of an adarun whose checksum left weights out: begin anew in another folder";

/// The file differs from what was written, or is missing; an older checkpoint may be usable.
class DamagedCheckpoint : public Error {
 public:
  using Error::Error;
};

/// Atomically writes `file` through a temporary file, and returns when the data is on disk. Throws Error.
void write_checkpoint(const std::filesystem::path& file, const RunIdentity& identity,
                      const CheckpointState& state, const std::vector<std::span<const float>>& values);

/// Reads `file` into `values`, whose sizes must be those that were written. Throws DamagedCheckpoint if the
/// file is torn (truncated, or a wrong checksum), missing, of another run, written under another name, or not
/// a checkpoint. Throws Error if it has another format, or is of another job; the message names the fact that
/// differs. `values` is then unchanged, unless the disk fails.
CheckpointHeader read_checkpoint(const std::filesystem::path& file, const RunIdentity& identity,
                                 const std::vector<std::span<float>>& values);

/// A checkpoint with its values, of whatever sizes.
struct StoredCheckpoint {
  CheckpointHeader header;
  std::vector<std::vector<float>> values;
};

/// Reads all of `file`. Throws as the function above does.
StoredCheckpoint read_checkpoint(const std::filesystem::path& file, const RunIdentity& identity);

/// The ranks that wrote a checkpoint, and whether each of them had a state that the others did not have.
struct Writers {
  int ranks = 1;
  bool have_own_states = false;

  bool operator==(const Writers&) const = default;
};

/// Who wrote `file`. Reads it once, to verify it, and throws as read_checkpoint() does; it may be of any run
/// and job.
Writers writers_of(const std::filesystem::path& file);

/// Where a checkpoint holds the weights of its model.
struct StoredWeights {
  std::uint64_t offset = 0;  ///< In bytes.
  std::uint64_t count = 0;   ///< Floats.

  bool operator==(const StoredWeights&) const = default;
};

/// Reads `file` once, to verify it. Throws as read_checkpoint() does; it may be of any run, and of any job in
/// which `facts` hold.
StoredWeights find_weights(const std::filesystem::path& file, const Facts& facts);

/// The id of the run that wrote `file`, from its header; empty if it is not a checkpoint.
std::string run_of(const std::filesystem::path& file);

}  // namespace adarun::trainer
