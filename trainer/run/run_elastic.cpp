// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/run_elastic.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "adasum/types/error.h"
#include "trainer/base/collective.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

constexpr int most_in_vain = 5;  // connections anew of the same ranks, without a step

/// Says that this rank ends by an error with which the others are not to continue.
void finish_with_error(adasum::ElasticWorld& world) {
  try {
    world.finish();
  } catch (const adasum::Error&) {  // The agent has ended, too: the error to be reported is the first one.
  }
}

std::string describe_change(std::size_t before, std::size_t now) {
  return "members: " + std::to_string(now) + " ranks " +
         (now < before   ? "are left"
          : now > before ? "are there, with those that come back"
                         : "have connected anew");
}

/// Waits for the ranks that are there; returns whether they are the same ones.
bool change(adasum::ElasticWorld& world, const Print& print) {
  const std::vector<int> before = world.members();
  world.change();
  print(describe_change(before.size(), world.members().size()));
  return world.members() == before;
}

}  // namespace

RunOutcome run_members(const TrainerOptions& options, const Reduction& reduction,
                       adasum::Communicator& communicator, const Print& print,
                       std::optional<c10::Device> device, Continuation& continuation) {
  continuation.agree(communicator);
  const RunOutcome ending = run(options, reduction, communicator, print, device, &continuation);
  try {
    wait_for_all(communicator);  // None may need one that has ended.
  } catch (const adasum::Error&) {
    if (ending != RunOutcome::stopped) throw;  // Nothing is left to do after a stop.
  }
  return ending;
}

RunOutcome run_elastic(const TrainerOptions& options, const Reduction& of_all, adasum::ElasticWorld& world,
                       const Print& print, std::optional<c10::Device> device) {
  Continuation continuation([&world] { world.settle(); });
  for (int in_vain = 0;;) {
    const bool knew_nothing = !continuation.begins_from();
    const std::int64_t steps = continuation.steps();
    const int left = world.communicator().size();
    const Reduction reduction = world.is_whole() ? of_all : reduction_of_fewer(options, of_all, left);
    const std::string note = note_on_fewer(of_all, reduction, left);
    if (!note.empty()) print(note);
    try {
      const RunOutcome ending =
          run_members(options, reduction, world.communicator(), print, device, continuation);
      world.finish();
      return ending;
    } catch (const adasum::PeerLost&) {  // It may have ended.
      if (in_vain == most_in_vain) {
        finish_with_error(world);
        throw;
      }
      in_vain = change(world, print) && continuation.steps() == steps ? in_vain + 1 : 0;
    } catch (const std::runtime_error&) {  // of the program, or of what it reads
      // They continue without a rank that has joined them and cannot.
      const bool has_joined = knew_nothing && continuation.begins_from();
      if (!has_joined) finish_with_error(world);
      throw;
    }
  }
}

}  // namespace adarun::trainer
