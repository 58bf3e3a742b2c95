// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/checkpoints.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string_view>

#include "base/new_file.h"
#include "base/output_folder.h"
#include "base/random_digits.h"
#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/checkpoint/shards.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

/// `--momentum 0.5 (was 0.9), ...`: those of `settings` that had another value before.
std::string changed(const Facts& settings, const Facts& before) {
  std::string text;
  for (const auto& [name, value] : settings) {
    const auto was = std::ranges::find(before, name, &Facts::value_type::first);
    if (was == before.end() || was->second == value) continue;
    text += (text.empty() ? "" : ", ") + name + " " + value + " (was " + was->second + ")";
  }
  return text;
}

std::string ranks_text(int ranks) {
  return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
}

std::string other_ranks_line(int before, int now) {
  return "checkpoint of " + ranks_text(before) + "; continuing with " + std::to_string(now);
}

constexpr std::string_view rank_begins = ".rank_";
constexpr std::size_t of_first_rank = 1;  // Among the values of a shared state: see Checkpoints::Room.

/// A file's name without its rank. Sorted, the names of a run are in the order of their steps.
std::string step_name(std::int64_t steps) {
  char name[64];
  std::snprintf(name, sizeof name, "step_%012lld", static_cast<long long>(steps));
  return name;
}

/// The rank that wrote `file`, by its name; nothing if it is not a checkpoint's.
std::optional<int> rank_of(const fs::path& file) {
  const std::string ending = file.extension();
  if (!ending.starts_with(rank_begins) || !file.stem().string().starts_with("step_")) return std::nullopt;
  int rank = -1;
  const char* const end = ending.data() + ending.size();
  const auto [last, error] = std::from_chars(ending.data() + rank_begins.size(), end, rank);
  if (error != std::errc() || last != end || rank < 0) return std::nullopt;
  return rank;
}

/// The same of a file that was not completed (see base::NewFile); the names of older versions have no digits.
std::optional<int> rank_of_unfinished(const fs::path& file) {
  const std::optional<int> rank = rank_of(file.stem());
  return rank ? rank : rank_of(file.stem().stem());
}

}  // namespace

Checkpoints::Checkpoints(fs::path folder, RunIdentity identity, Ownership ownership,
                         adasum::Communicator& communicator, int keep)
    : folder_(std::move(folder)),
      identity_(std::move(identity)),
      ownership_(ownership),
      communicator_(communicator),
      keep_(keep) {
  try {
    const base::OutputFolder made(folder_);
  } catch (const std::runtime_error& refused) {
    throw Error(refused.what());
  }
}

fs::path Checkpoints::file_of(std::int64_t steps, int rank) const {
  return folder_ / (step_name(steps) + std::string(rank_begins) + std::to_string(rank));
}

fs::path Checkpoints::own_file(std::int64_t steps) const {
  return file_of(steps, each_writes() ? communicator_.rank() : 0);
}

void Checkpoints::save(const CheckpointState& state, std::int64_t steps,
                       const std::vector<std::span<const float>>& values) {
  assert(!identity_.run.empty());
  if (communicator_.rank() == 0) refuse_other_run();
  if (!is_listed_) {
    // The files of this step may be those of the damaged checkpoint until all ranks have replaced theirs. And
    // another start that wrote here before writes no more.
    if (communicator_.rank() == 0) write_latest(folder_, latest());
    is_listed_ = true;
    writer_before_ = writer_;
    wait_for_all(communicator_);
  }
  if (writes()) write_checkpoint(own_file(steps), identity_, state, values);
  wait_for_all(communicator_);
  std::erase(good_, steps);
  good_.insert(good_.begin(), steps);
  good_.resize(std::min<std::size_t>(good_.size(), 2));
  if (communicator_.rank() == 0) {
    refuse_other_run();
    write_latest(folder_, latest());
  }
  writer_before_ = writer_;
  wait_for_all(communicator_);
  if (writes()) drop_old();
}

void Checkpoints::refuse_other_run() const {
  const std::optional<Latest> latest = read_latest(folder_);
  const bool is_own = latest && latest->run == identity_.run &&
                      (latest->writer == writer_ || latest->writer == writer_before_);
  if (!latest || is_own) return;
  const std::string other = latest->run == identity_.run ? ": another start of run " : ": run ";
  throw Error(folder_.string() + other + latest->run + " has begun to write its checkpoints here",
              Exit::refused);
}

/// Those of ranks that there are no more, too, and what is left of files that were not completed.
void Checkpoints::drop_old() const {
  std::map<int, std::vector<fs::path>> by_rank;
  std::error_code unread;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, unread)) {
    std::error_code gone;
    if (communicator_.rank() == 0 && is_unfinished_latest(entry.path(), identity_.run))
      fs::remove(entry.path(), gone);
    const bool is_unfinished = entry.path().extension() == base::unfinished_suffix;
    const std::optional<int> rank = is_unfinished ? rank_of_unfinished(entry.path()) : rank_of(entry.path());
    if (!rank || *rank % communicator_.size() != communicator_.rank()) continue;
    if (run_of(entry.path()) != identity_.run) continue;
    if (is_unfinished)
      fs::remove(entry.path(), gone);
    else
      by_rank[*rank].push_back(entry.path());
  }
  for (auto& [rank, files] : by_rank) drop_old_of_rank(std::move(files));
}

void Checkpoints::drop_old_of_rank(std::vector<fs::path> files) const {
  // What is newer than the newest good one is not complete on all ranks.
  std::ranges::sort(files, std::ranges::greater());
  const std::string newest = step_name(good_.front());
  auto others = keep_ - static_cast<int>(good_.size());
  for (const fs::path& file : files) {
    const std::string name = file.stem();
    if (std::ranges::any_of(good_, [&](std::int64_t steps) { return step_name(steps) == name; })) continue;
    if (name < newest && others-- > 0) continue;
    std::error_code gone;
    fs::remove(file, gone);
  }
}

/// The content of `latest` if this run may use it, the same on every rank.
std::optional<Latest> Checkpoints::latest_for(const ResumePolicy& policy) {
  std::string text;
  if (const auto latest = communicator_.rank() == 0 ? read_latest(folder_) : std::nullopt) {
    const bool of_job = policy.resume == Resume::of_job && latest->run == policy.job_id;
    if (!of_job && policy.resume != Resume::always) {
      throw Error(folder_.string() + ": has the checkpoints of run " + latest->run +
                      ": continue from them with --resume, or give another folder",
                  Exit::refused);
    }
    text = text_of(*latest);
  }
  text = text_of_first_rank(text, communicator_);
  if (text.empty()) return std::nullopt;
  return parse_latest(folder_, text);
}

/// Throws DamagedCheckpoint on every rank if the file of rank 0, which says who wrote it, is damaged.
Writers Checkpoints::writers(std::int64_t steps) const {
  Writers writers;
  std::string damage;
  try {
    if (communicator_.rank() == 0) writers = writers_of(file_of(steps, 0));
  } catch (const DamagedCheckpoint& damaged) {
    damage = damaged.what();
  }
  damage = text_of_first_rank(damage, communicator_);
  if (!damage.empty()) throw DamagedCheckpoint(damage);
  communicator_.broadcast(std::as_writable_bytes(std::span(&writers, 1)), 0);
  return writers;
}

/// Of a checkpoint of this run that `ranks` ranks wrote. How these combine, and how one rank would if there
/// were others, does not matter where either of them is one.
RunIdentity Checkpoints::identity_of(int ranks) const {
  RunIdentity identity = identity_;
  const auto fact = std::ranges::find(identity.job, ranks_fact, &Facts::value_type::first);
  if (fact != identity.job.end()) fact->second = std::to_string(ranks);
  if (ranks == 1 || communicator_.size() == 1) {
    std::erase_if(identity.job, [](const Facts::value_type& of_job) {
      return of_job.first == reduction_fact || of_job.first == adasum_fact;
    });
  }
  return identity;
}

void Checkpoints::refuse_states_of(int ranks, std::int64_t steps) const {
  const std::string file = file_of(steps, 0);
  if (communicator_.rank() == 0) find_weights(file, identity_of(ranks).job);  // It may be of another job.
  wait_for_all(communicator_);
  throw Error(file + ": of " + ranks_text(ranks) +
                  ", each with a state of its own (--adasum-on delta, --reduce none), which " +
                  ranks_text(communicator_.size()) + " cannot continue from: wanted " + ranks_text(ranks) +
                  ", or another folder to begin anew",
              Exit::refused);
}

/// Describes the damage of the checkpoint on any rank; empty if it was read.
std::string Checkpoints::read(std::int64_t steps, int ranks, CheckpointHeader& contents,
                              const std::vector<std::span<float>>& values) {
  const RunIdentity identity = identity_of(ranks);
  if (ownership_ == Ownership::sharded && ranks != communicator_.size()) {
    std::vector<fs::path> files;
    for (int rank = 0; rank < ranks; ++rank) files.push_back(file_of(steps, rank));
    return read_shards(files, identity, values, communicator_, contents);
  }
  std::string damage;
  try {
    if (writes()) contents = read_checkpoint(own_file(steps), identity, values);
  } catch (const DamagedCheckpoint& damaged) {
    damage = damaged.what();
  }
  return first_text(damage, communicator_);
}

void Checkpoints::share(CheckpointState& state, const std::vector<std::span<float>>& values) {
  if (ownership_ == Ownership::own) return;
  state = parse_state(text_of_first_rank(text_of(state), communicator_));
  if (ownership_ != Ownership::shared) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != of_first_rank) communicator_.broadcast(std::as_writable_bytes(values[i]), 0);
  }
}

std::optional<LoadedCheckpoint> Checkpoints::begin(const ResumePolicy& policy, const Room& room) {
  const std::optional<Latest> latest = latest_for(policy);
  const std::string own = policy.job_id.empty() ? base::random_digits() : policy.job_id;
  identity_.run = latest ? latest->run : text_of_first_rank(own, communicator_);
  writer_ = text_of_first_rank(base::random_digits(), communicator_);
  if (!latest) return std::nullopt;
  take_over(*latest);
  return load(*latest, room);
}

/// At its first checkpoint: a start that only reads ends no other.
void Checkpoints::take_over(const Latest& latest) {
  good_ = latest.steps;
  writer_before_ = latest.writer;
  is_listed_ = false;
}

void Checkpoints::proceed(const std::string& run) {
  identity_.run = run;
  const auto latest = communicator_.rank() == 0 ? read_latest(folder_) : std::nullopt;
  const std::string text =
      text_of_first_rank(latest && latest->run == run ? text_of(*latest) : "", communicator_);
  writer_ = text_of_first_rank(base::random_digits(), communicator_);
  if (text.empty()) return;
  take_over(parse_latest(folder_, text));
}

bool Checkpoints::has(std::int64_t steps) const {
  return std::ranges::find(good_, steps) != good_.end();
}

/// Reads one checkpoint. Throws DamagedCheckpoint on every rank if it is damaged on one.
LoadedCheckpoint Checkpoints::load_step(std::int64_t steps, const Room& room) {
  LoadedCheckpoint loaded;
  loaded.steps = steps;
  const Writers by = writers(steps);
  loaded.ranks = by.ranks;
  const bool others = loaded.ranks != communicator_.size();
  if (others && (ownership_ == Ownership::own || by.have_own_states)) refuse_states_of(loaded.ranks, steps);
  const std::vector<std::span<float>> values = room(loaded.ranks);
  CheckpointHeader contents;
  const std::string damage = read(steps, loaded.ranks, contents, values);
  if (!damage.empty()) throw DamagedCheckpoint(damage);
  loaded.state = contents.state;
  share(loaded.state, values);
  if (others) loaded.notes.push_back(other_ranks_line(loaded.ranks, communicator_.size()));
  const std::string changes =
      text_of_first_rank(changed(identity_.settings, contents.settings), communicator_);
  if (!changes.empty()) loaded.notes.push_back("resumed with other settings: " + changes);
  return loaded;
}

LoadedCheckpoint Checkpoints::load(const Latest& latest, const Room& room) {
  std::vector<std::string> notes;
  std::string all_damage;
  for (good_ = latest.steps; !good_.empty(); good_.erase(good_.begin())) {
    try {
      LoadedCheckpoint loaded = load_step(good_.front(), room);
      loaded.notes.insert(loaded.notes.begin(), notes.begin(), notes.end());
      return loaded;
    } catch (const DamagedCheckpoint& damage) {
      notes.push_back(std::string("damaged, the checkpoint before it is taken: ") + damage.what());
      all_damage += (all_damage.empty() ? "" : "; ") + std::string(damage.what());
    }
  }
  throw Error(all_damage);
}

}  // namespace adarun::trainer
