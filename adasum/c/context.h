// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/mpi_communicator.h"  // before other headers that include mpi.h

#include "adasum/c/adasum.h"
#include "adasum/engine.h"
#include "adasum/plan.h"
#include "adasum/types/number.h"

namespace adasum::c {

/// State that is attached to MPI communicators between calls: engines, memory, and for each engine the plan
/// of the last call.
class Context {
 public:
  /// The context of `comm`, created if there is none. Collective over `comm`. Throws adasum::Error.
  static Context& of(MPI_Comm comm);

  /// The context of `comm` with parts of tensors on the ranks of `parts`, created if there is none. It lives
  /// until `parts` is freed. Collective over both. Throws adasum::Error.
  static Context& of(MPI_Comm comm, MPI_Comm parts);

  /// `parts`: may be MPI_COMM_NULL.
  explicit Context(MPI_Comm comm, MPI_Comm parts = MPI_COMM_NULL);

  /// As adasum_allreduce_mpi, but throws TensorListMismatch, UnsupportedWorld, adasum::Error.
  std::optional<int> allreduce(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                               const adasum_options& options);

  std::span<std::byte> allocate(std::size_t size_bytes) { return home_.allocate(size_bytes); }

  /// Also destroys all plans, because they may use this memory.
  void free(const void* memory);

 private:
  /// A list of tensors and its plan.
  template <typename T>
  struct CachedPlan {
    std::vector<std::span<T>> tensors;
    std::optional<Plan<T>> plan;
  };

  /// One engine for each set of options that has been used.
  struct CachedEngine {
    CachedEngine(Engine& home, const adasum_options& asked);

    adasum_options asked;
    Engine engine;
    CachedPlan<float> floats;
    CachedPlan<double> doubles;
    CachedPlan<Float16> float16s;
    CachedPlan<BFloat16> bfloat16s;
  };

  void require_agreement(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                         const adasum_options& options);
  CachedEngine& engine_for(const adasum_options& options);
  template <typename T>
  std::optional<int> run(CachedEngine& cached, CachedPlan<T>& cached_plan,
                         std::span<const adasum_tensor> tensors);

  std::uint64_t id_;
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Communicator> parts_;
  Engine home_;
  std::list<CachedEngine> engines_;
};

}  // namespace adasum::c
