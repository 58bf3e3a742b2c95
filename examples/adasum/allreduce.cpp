// SPDX-License-Identifier: Apache-2.0
// Combines gradients of every rank by AdaSum in each step: mpirun -n 4 adasum-cpp
#include <adasum/communicators/mpi_session.h>
#include <adasum/engine.h>
#include <adasum/plan.h>

#include <cstdio>
#include <span>
#include <vector>

int main() {
  const adasum::MpiSession session;
  const auto world = session.world();
  adasum::Engine engine(*world, {.worlds = adasum::Worlds::any});

  std::vector<float> weight(4);
  std::vector<float> bias(2);
  adasum::Plan<float> plan(engine, {weight, bias});  // made once
  for (int step = 1; step <= 2; ++step) {
    for (float& value : weight) value = 2;  // parallel: they average
    for (std::size_t i = 0; i < 2; ++i)
      bias[i] = world->rank() == static_cast<int>(i) ? 1.0F : 0.0F;  // orthogonal
    if (const auto rank = plan.run()) {
      std::fprintf(stderr, "rank %d has NaN or an infinity: the step is left out\n", *rank);
      continue;
    }
    if (world->rank() == 0)
      std::printf("step %d, %d ranks: %g %g %g\n", step, world->size(), weight[0], bias[0], bias[1]);
  }
}
