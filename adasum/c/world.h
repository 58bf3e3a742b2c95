// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/peers/mpi_comm.h"  // before whatever includes mpi.h

#include "adasum/c/adasum.h"
#include "adasum/engine.h"
#include "adasum/number.h"
#include "adasum/plan.h"

namespace adasum::c {

/// What is kept for a communicator from one call to the next, for as long as it lives: engines, memory, and the
/// plan of the last call for each of them.
class World {
 public:
  /// The one of `comm`, made where there is none: collective over `comm`. Throws adasum::Error.
  static World& of(MPI_Comm comm);

  explicit World(MPI_Comm comm);

  /// As adasum_allreduce_mpi, but for what is thrown: Differ, Misfit, adasum::Error.
  std::optional<int> allreduce(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                               const adasum_options& options);

  std::span<std::byte> allocate(std::size_t size_bytes) { return home_.allocate(size_bytes); }

  /// Plans are made anew after it: they may have been for this memory.
  void free(const void* memory);

 private:
  /// A list of tensors with the plan made of it.
  template <typename T>
  struct Prepared {
    std::vector<std::span<T>> tensors;
    std::optional<Plan<T>> plan;
  };

  /// An engine for each set of options that has been asked for.
  struct Way {
    Way(Engine& home, const adasum_options& asked);

    adasum_options asked;
    Engine engine;
    Prepared<float> floats;
    Prepared<double> doubles;
    Prepared<Float16> float16s;
    Prepared<BFloat16> bfloat16s;
  };

  void require_agreement(std::span<const adasum_tensor> tensors, adasum_dtype dtype, const adasum_options& options);
  Way& way_of(const adasum_options& options);
  template <typename T>
  std::optional<int> run(Way& way, Prepared<T>& prepared, std::span<const adasum_tensor> tensors);

  std::unique_ptr<Peers> peers_;
  Engine home_;
  std::list<Way> ways_;
};

}  // namespace adasum::c
