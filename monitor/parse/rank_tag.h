// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace adarun::monitor {

/// What launchers that put the output of all processes into one file print before each line.
struct RankTag {
  enum class Kind {
    number,   ///< "3: " (srun -l)
    bracket,  ///< "[3] " (adarun, MPICH, Intel MPI), "[3 actor] "
    stream,   ///< "[1,3]<stdout>:" (Open MPI, Horovod), also behind a time
    word,     ///< "[rank3]:", "[default3]:" (torchrun), "[Rank 3] ", "rank 3: "
    host,     ///< "node3: " (pdsh, DeepSpeed, clush), "worker-3  | " (docker compose), "[myrole3]:"
    text,     ///< What the program itself prints in its line: "10:00:00 [rank 3] ", "Rank: 3, ", {"rank": 3}
    file,     ///< "worker_3.log:" (grep)
    heading,  ///< "==> worker_3.log <==", of all lines below it (tail, adarun logs): see heading_tag_of().
    process,  ///< "(RayTrainWorker pid=4242) ", "[pod/train-worker-3/main] "
  };

  Kind kind = Kind::number;
  std::string_view label;               ///< Tells one process from another: "1,3" in "[1,3]<stdout>:".
  std::optional<std::uint32_t> number;  ///< The last number in it; none of a process id.
  std::size_t length = 0;               ///< Of the tag, with the space behind it; 0 of a text.
  bool is_list = false;                 ///< Of several ranks, as adarun's --fold prints: "[0-3,7] ".
  bool may_be_metric = false;           ///< Of a text: behind the loss, or a key of JSON.

  /// Whether nothing but a launcher prints this; "[3] ", "[1-3] " and "3: " may count epochs or steps.
  bool certain() const {
    return kind == Kind::stream || kind == Kind::word || kind == Kind::process || kind == Kind::file;
  }
};

/// The tag that a line begins with, else the first rank in its text. Words that count something
/// ("[epoch3] ", "step3: ") are none.
std::optional<RankTag> rank_tag_of(std::string_view line);

/// The tag that a line is for those below it, with or without its line end: the name of a log, of one rank if
/// it has a number.
std::optional<RankTag> heading_tag_of(std::string_view line);

/// Calls `take` with each rank in the label of a list, at most `most` times.
void for_each_rank_in(std::string_view list, std::size_t most,
                      const std::function<void(std::uint32_t rank)>& take);

}  // namespace adarun::monitor
