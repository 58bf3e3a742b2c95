// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/continuation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// How far a rank is: steps, and the ranks that took the last of them.
struct Reached {
  std::int64_t steps = -1;
  std::int64_t ranks = 0;

  bool operator==(const Reached&) const = default;
};

/// Of two with as many steps the one that restored its state with fewer ranks is further.
bool is_before(const Reached& a, const Reached& b) {
  return a.steps != b.steps ? a.steps < b.steps : a.ranks > b.ranks;
}

/// Makes `snapshot` that of rank `root` on all ranks: that rank's own is sent from where it is, and stays as
/// it is. Clocks of nodes differ: what is sent is how long ago the last checkpoint was written.
void broadcast(Snapshot& snapshot, int root, adasum::Communicator& communicator) {
  snapshot.state = parse_state(text_of_rank(root, text_of(snapshot.state), communicator));
  snapshot.run = text_of_rank(root, snapshot.run, communicator);
  snapshot.setup = text_of_rank(root, snapshot.setup, communicator);
  std::array<std::int64_t, 4> numbers = {snapshot.steps, snapshot.ranks,
                                         static_cast<std::int64_t>(snapshot.values.size()),
                                         (Snapshot::Clock::now() - snapshot.saved_at).count()};
  communicator.broadcast(std::as_writable_bytes(std::span(numbers)), root);
  snapshot.steps = numbers[0];
  snapshot.ranks = static_cast<int>(numbers[1]);
  snapshot.values.resize(static_cast<std::size_t>(numbers[2]));
  if (communicator.rank() != root)
    snapshot.saved_at = Snapshot::Clock::now() - Snapshot::Clock::duration(numbers[3]);
  for (std::vector<float>& value : snapshot.values) {
    std::uint64_t size = value.size();
    communicator.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
    value.resize(size);
    communicator.broadcast(std::as_writable_bytes(std::span(value)), root);
  }
}

}  // namespace

Position proceed(const Snapshot& snapshot, TrainingState& state) {
  state.make_room(snapshot.ranks);
  const std::vector<std::span<float>> values = state.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;  // Rank 0 gives the others their statistics.
    if (snapshot.values.at(i).size() != values[i].size())
      throw Error("continuing with " + std::to_string(snapshot.values.at(i).size()) +
                      " values where the model has " + std::to_string(values[i].size()),
                  Exit::refused);
    std::ranges::copy(snapshot.values.at(i), values[i].begin());
  }
  return state.restore(snapshot.state, snapshot.steps, snapshot.ranks);
}

void Continuation::agree(adasum::Communicator& communicator) {
  take_furthest(communicator);
  agreed_();
}

void Continuation::take_furthest(adasum::Communicator& communicator) {
  const Reached mine = snapshot_ ? Reached{snapshot_->steps, snapshot_->ranks} : Reached{};
  const std::vector<Reached> all = adasum::gather(communicator, mine);
  if (std::ranges::count(all, all[0]) == std::ssize(all)) return;
  const auto root = static_cast<int>(std::ranges::max_element(all, is_before) - all.begin());
  if (communicator.rank() == root) return broadcast(*snapshot_, root, communicator);
  Snapshot received;  // Not in snapshot_: another rank may end before it is whole.
  broadcast(received, root, communicator);
  snapshot_ = std::move(received);
}

Continuation::Watch::Watch(Continuation& continuation, TrainingState& state, const Weights& weights,
                           adasum::Communicator& communicator, const Position& start)
    : continuation_(continuation),
      state_(state),
      weights_(weights),
      communicator_(communicator),
      taken_{.epoch = start.epoch, .step = start.steps, .all_steps = start.all_steps},
      statistics_(statistics_of_all()) {}

// A model without statistics gives each rank a byte to wait for.
std::vector<float> Continuation::Watch::statistics_of_all() const {
  const std::span<const float> mine = weights_.buffers();
  std::vector<float> all(mine.size() * static_cast<std::size_t>(communicator_.size()));
  if (mine.empty()) {
    wait_for_all(communicator_);
  } else {
    communicator_.all_gather(std::as_bytes(mine), std::as_writable_bytes(std::span(all)));
  }
  return all;
}

void Continuation::Watch::vote() {
  voted_ = statistics_of_all();
}

void Continuation::Watch::step_end(const Progress& progress) {
  taken_ = progress;
  statistics_.swap(voted_);
}

void Continuation::Watch::keep(const std::string& run, const std::string& setup,
                               Snapshot::Clock::time_point saved_at) {
  continuation_.snapshot_.reset();  // There may be no room for two.
  Snapshot kept{state_.after(taken_), taken_.all_steps, communicator_.size(), {}, run, saved_at, setup};
  state_.statistics_of_all() = statistics_;
  for (const std::span<float> value : state_.values()) kept.values.emplace_back(value.begin(), value.end());
  state_.clear();
  continuation_.snapshot_ = std::move(kept);
}

}  // namespace adarun::trainer
