// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "adasum/c/adasum.h"
#include "adasum/c/plan_cache.h"
#include "adasum/communicators/communicator.h"
#include "adasum/engine.h"
#include "adasum/types/error.h"
#include "adasum/types/number.h"

namespace adasum::c {

/// A communicator of the C API, and its state between calls: engines, memory, and for each engine the plans
/// of the last calls. One thread.
class Context {
 public:
  /// `parts`: the ranks with the other parts of this rank's tensors; null: it has whole tensors. Collective
  /// over both. Throws adasum::Error.
  explicit Context(std::unique_ptr<Communicator> communicator, std::unique_ptr<Communicator> parts = nullptr);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Communicator& communicator() const { return *communicator_; }

  /// Whether tensors are split over ranks: those of communicator() then stand for replicas.
  bool has_parts() const { return parts_ != nullptr; }

  /// As adasum_allreduce, but throws TensorListMismatch, UnsupportedWorld, adasum::Error. After any other
  /// than the first two the waits of the others for this rank end, too.
  std::optional<int> allreduce(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                               const adasum_options& options);

  /// As Communicator::broadcast of `size_bytes` bytes, none if that is negative. Throws adasum::Error if
  /// there are some at null. After an error the waits of the others for this rank end, too.
  void broadcast(void* data, std::int64_t size_bytes, int root);

  /// As Engine::give_up().
  void give_up();

  std::span<std::byte> allocate(std::size_t size_bytes) { return home_.allocate(size_bytes); }

  /// Also destroys all plans, because they may use this memory.
  void free(const void* memory);

 private:
  /// One engine for each set of options that has been used.
  struct CachedEngine {
    CachedEngine(Engine& home, const adasum_options& asked);

    adasum_options asked;
    Engine engine;
    PlanCache<float> floats;
    PlanCache<double> doubles;
    PlanCache<Float16> float16s;
    PlanCache<BFloat16> bfloat16s;
  };

  std::optional<int> combine(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                             const adasum_options& options);
  template <typename Body>
  auto or_give_up(const Body& body);
  void require_agreement(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                         const adasum_options& options);
  CachedEngine& engine_for(const adasum_options& options);
  template <typename T>
  static std::optional<int> run(Engine& engine, PlanCache<T>& plans, std::span<const adasum_tensor> tensors);

  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<Communicator> parts_;
  Engine home_;
  std::list<CachedEngine> engines_;
};

// What the functions of the C API have in common.

/// Keeps `why` for adasum_last_error() of this thread, and returns `error`.
int failed(adasum_error error, const std::string& why);

/// Returns what `body` returns; exceptions become error codes.
template <typename Body>
int guarded(const Body& body) {
  try {
    return body();
  } catch (const TensorListMismatch& error) {
    return failed(ADASUM_DIFFER, error.what());
  } catch (const UnsupportedWorld& error) {
    return failed(ADASUM_WORLD, error.what());
  } catch (const std::exception& error) {
    return failed(ADASUM_FAILED, error.what());
  }
}

/// adasum_allreduce on the ranks of a context; throws.
int allreduce(Context& context, const adasum_tensor* tensors, std::int64_t count, adasum_dtype dtype,
              const adasum_options* options);

/// Memory of a context, for adasum_free(); throws.
int allocate(Context& context, std::int64_t bytes, void** ptr);

}  // namespace adasum::c
