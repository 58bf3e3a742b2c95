// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/mpi_communicator.h"  // before other headers that include mpi.h

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "adasum/c/adasum_mpi.h"
#include "adasum/c/context.h"
#include "adasum/types/error.h"

namespace adasum::c {
namespace {

template <typename Attribute>
int delete_attribute(MPI_Comm, int, void* attribute, void*) {
  delete static_cast<Attribute*>(attribute);
  return MPI_SUCCESS;
}

// The key of the attribute of this type. A duplicated communicator does not inherit it.
template <typename Attribute>
int keyval() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute<Attribute>, &made, nullptr);
    return made;
  }();
  return key;
}

// The attribute of `comm` that has this type, made by `make` if there is none.
template <typename Attribute, typename Make>
Attribute& attribute_of(MPI_Comm comm, const Make& make) {
  void* found = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(comm, keyval<Attribute>(), &found, &is_there);
  if (is_there != 0) return *static_cast<Attribute*>(found);
  auto made = make();
  if (MPI_Comm_set_attr(comm, keyval<Attribute>(), made.get()) != MPI_SUCCESS)
    throw Error("the communicator takes no attribute");
  return *made.release();
}

// The contexts whose parts are on the ranks of a communicator, by the ids of those of their `comm`.
using ContextsOfParts = std::map<std::uint64_t, std::unique_ptr<Context>>;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// A context, with a number that no other of this process ever had.
struct NumberedContext {
  explicit NumberedContext(MPI_Comm comm) : context(mpi_communicator(comm)) {}

  std::uint64_t id = next_id();
  Context context;
};

NumberedContext& numbered_context_of(MPI_Comm comm) {
  return attribute_of<NumberedContext>(comm, [comm] { return std::make_unique<NumberedContext>(comm); });
}

/// The context that is attached to `comm`, created if there is none. Collective over `comm`. Throws
/// adasum::Error.
Context& mpi_context_of(MPI_Comm comm) {
  return numbered_context_of(comm).context;
}

/// The context of `comm` with parts of tensors on the ranks of `parts`, created if there is none. It lives
/// until `parts` is freed. Collective over both. Throws adasum::Error.
Context& mpi_context_of(MPI_Comm comm, MPI_Comm parts) {
  const std::uint64_t id = numbered_context_of(comm).id;
  auto& contexts = attribute_of<ContextsOfParts>(parts, [] { return std::make_unique<ContextsOfParts>(); });
  std::unique_ptr<Context>& found = contexts[id];
  if (!found) found = std::make_unique<Context>(mpi_communicator(comm), mpi_communicator(parts));
  return *found;
}

}  // namespace
}  // namespace adasum::c

using namespace adasum::c;

extern "C" {

int adasum_allreduce_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                         const adasum_options* options) {
  return guarded([&] { return allreduce(mpi_context_of(comm), tensors, n, dtype, options); });
}

int adasum_allreduce_parts_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                               MPI_Comm parts, const adasum_options* options) {
  return guarded([&] { return allreduce(mpi_context_of(comm, parts), tensors, n, dtype, options); });
}

int adasum_alloc(int64_t bytes, MPI_Comm comm, void** ptr) {
  return guarded([&] { return allocate(mpi_context_of(comm), bytes, ptr); });
}
}
