// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/checkpoints.h"

#include <algorithm>
#include <cassert>
#include <cstdio>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/base/run_id.h"

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

}  // namespace

Checkpoints::Checkpoints(fs::path folder, RunIdentity identity, Ownership ownership,
                         adasum::Communicator& communicator, int keep)
    : folder_(std::move(folder)),
      identity_(std::move(identity)),
      ownership_(ownership),
      communicator_(communicator),
      keep_(keep) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw Error(folder_.string() + ": cannot be made: " + error.message());
}

fs::path Checkpoints::file_of(std::int64_t steps) const {
  char name[64];
  const int owner = ownership_ == Ownership::own ? communicator_.rank() : 0;
  std::snprintf(name, sizeof name, "step_%012lld.rank_%d", static_cast<long long>(steps), owner);
  return folder_ / name;
}

void Checkpoints::save(const CheckpointState& state, std::int64_t steps,
                       const std::vector<std::span<const float>>& values) {
  assert(!identity_.run.empty());
  if (communicator_.rank() == 0) refuse_other_run();
  if (!is_listed_) {
    // The files of this step may be those of the damaged checkpoint until all ranks have replaced theirs.
    if (communicator_.rank() == 0) write_latest(folder_, {identity_.run, good_});
    is_listed_ = true;
    wait_for_all(communicator_);
  }
  if (writes()) write_checkpoint(file_of(steps), identity_, state, values);
  wait_for_all(communicator_);
  std::erase(good_, steps);
  good_.insert(good_.begin(), steps);
  good_.resize(std::min<std::size_t>(good_.size(), 2));
  if (communicator_.rank() == 0) write_latest(folder_, {identity_.run, good_});
  wait_for_all(communicator_);
  if (writes()) drop_old();
}

void Checkpoints::refuse_other_run() const {
  const std::optional<Latest> latest = read_latest(folder_);
  if (!latest || latest->run == identity_.run) return;
  throw Error(folder_.string() + ": run " + latest->run + " has begun to write its checkpoints here",
              Exit::refused);
}

void Checkpoints::drop_old() const {
  const std::string mine = file_of(0).extension().string();
  std::vector<fs::path> own;
  std::error_code unread;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, unread)) {
    const fs::path& file = entry.path();
    if (file.extension() != mine || !file.stem().string().starts_with("step_")) continue;
    if (run_of(file) == identity_.run) own.push_back(file);
  }
  // Their names have the number of steps with leading zeros. What is newer than the newest good one is not
  // complete on all ranks.
  std::ranges::sort(own, std::ranges::greater());
  auto others = keep_ - static_cast<int>(good_.size());
  for (const fs::path& file : own) {
    if (std::ranges::any_of(good_, [&](std::int64_t steps) { return file_of(steps) == file; })) continue;
    if (file < file_of(good_.front()) && others-- > 0) continue;
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
                      ": go on from them with --resume, or give another folder",
                  Exit::refused);
    }
    text = text_of(*latest);
  }
  text = text_of_first_rank(text, communicator_);
  if (text.empty()) return std::nullopt;
  return parse_latest(folder_, text);
}

/// Describes the damage of the checkpoint on any rank; empty if it was read.
std::string Checkpoints::read(std::int64_t steps, CheckpointHeader& contents,
                              const std::vector<std::span<float>>& values) {
  std::string damage;
  try {
    if (writes()) contents = read_checkpoint(file_of(steps), identity_, values);
  } catch (const DamagedCheckpoint& damaged) {
    damage = damaged.what();
  }
  return first_text(damage, communicator_);
}

void Checkpoints::share(CheckpointState& state, const std::vector<std::span<float>>& values) {
  if (ownership_ == Ownership::own) return;
  state = parse_state(text_of_first_rank(text_of(state), communicator_));
  if (ownership_ == Ownership::first) return;
  for (const auto& value : values) communicator_.broadcast(std::as_writable_bytes(value), 0);
}

std::optional<LoadedCheckpoint> Checkpoints::begin(const ResumePolicy& policy,
                                                   const std::vector<std::span<float>>& values) {
  const std::optional<Latest> latest = latest_for(policy);
  const std::string own = policy.job_id.empty() ? new_run_id() : policy.job_id;
  identity_.run = latest ? latest->run : text_of_first_rank(own, communicator_);
  if (!latest) return std::nullopt;
  return load(*latest, values);
}

LoadedCheckpoint Checkpoints::load(const Latest& latest, const std::vector<std::span<float>>& values) {
  LoadedCheckpoint loaded;
  std::string all_damage;
  for (good_ = latest.steps; !good_.empty(); good_.erase(good_.begin())) {
    CheckpointHeader contents;
    const std::string damage = read(good_.front(), contents, values);
    if (damage.empty()) {
      loaded.state = contents.state;
      share(loaded.state, values);
      const std::string changes =
          text_of_first_rank(changed(identity_.settings, contents.settings), communicator_);
      if (!changes.empty()) loaded.notes.push_back("resumed with other settings: " + changes);
      is_listed_ = good_ == latest.steps;
      return loaded;
    }
    loaded.notes.push_back("damaged, the checkpoint before it is taken: " + damage);
    all_damage += (all_damage.empty() ? "" : "; ") + damage;
  }
  throw Error(all_damage);
}

}  // namespace adarun::trainer
