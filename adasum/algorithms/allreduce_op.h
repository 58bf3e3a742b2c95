// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// When an operation may write to its tensors.
enum class Results {
  in_place,   ///< As soon as every rank's data is known to be finite.
  held_back,  ///< Only in commit(): other tensors, combined elsewhere, may turn out not to be finite.
};

/// One algorithm, prepared for a list of tensors. It can run any number of times: combine(), then commit().
///
/// States:
///   idle      --combine() returns a rank-->  idle      (nothing has been written)
///   idle      --combine() returns none-->    combined
///   combined  --commit()-->                  idle      (the tensors hold the result)
///   combined  --combine()-->                 as from idle, if commit() was skipped
class AllreduceOp {
 public:
  virtual ~AllreduceOp() = default;

  /// The first part of Plan::run(). If it returns a rank (the lowest with NaN or an infinity), the run is
  /// over and the tensors are unchanged. Collective.
  virtual std::optional<int> combine() = 0;

  /// The second part: on return the tensors hold the result. Collective; call it after a combine() that
  /// returned nothing. It may be skipped, but then on all ranks.
  virtual void commit() = 0;

  /// The dot products of every two participants, per tensor (kernels::pair_index), from which the result was
  /// computed; empty if this algorithm does not compute all of them.
  virtual std::span<const double> dots() const { return {}; }
};

/// AdaSum on several nodes, in two levels. The ranks of a node combine in shared memory, each rank its share,
/// as shared_memory_allreduce() does. The ranks with the same share on all nodes then combine these shares by
/// gram(), or by tree() if there are more than kernels::max_rows nodes. Each rank writes its share of the
/// result to all ranks of its node. Departure from Horovod's hierarchy, which averages within a node: the
/// result is AdaSum over all ranks, or over their groups, by the tree of arXiv 2006.02924, section 3.
///
/// With m nodes of k ranks, n elements, per rank, up to 16 nodes:
///   barriers  4 on the node
///   steps     2 (m - 1) messages, in two batches of m - 1; one sum
///   sent      2 (n / k) (m - 1) / m elements
///
/// With Results::held_back, the tensors are copied if there are groups, or more than max_rows ranks on a
/// node.
///
/// Returns null, on all ranks, if the world does not allow it: nodes of different sizes, groups or subtrees
/// that are split between nodes, or more than max_rows nodes whose number is not a power of two. Collective;
/// `topology` must outlive the result. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> hierarchical_allreduce(Topology& topology, const Tensors<T>& tensors,
                                                    Results results);

/// AdaSum on one node, in shared memory. Each rank reads its share of the elements of all ranks in place
/// (NodeVectors), combines it by its Gram matrix (RowTree, as gram() does by messages), and writes the result
/// to all ranks. Nothing is copied if all tensors are in memory from Engine::allocate(). All reads precede
/// all writes. Formula and tree: arXiv 2006.02924, section 3; departure as in gram().
///
/// With p ranks and n elements, per rank:
///   barriers  3
///   memory    2n elements read, of all vectors; n written
///   flops     n (p + 1) for the dot products, 2 n for the combination, up to 16 ranks
///
/// Returns null, on all ranks, if the ranks are on several nodes or share no memory. Collective; `topology`
/// must outlive the result. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> shared_memory_allreduce(Topology& topology, const Tensors<T>& tensors);

/// AdaSum that every rank computes whole: of small vectors, for which waiting for ranks costs more than
/// arithmetic; and of the vectors of two ranks of a node, up to a few MB in ordinary memory, for which
/// sending a half of the result to the other rank costs more. Each rank writes its vector to memory of its
/// node, and every rank computes the result (RowTree) by the same operations. The results are bit-equal
/// because all ranks have the same kind of CPU. Formula and tree: arXiv 2006.02924, section 3; departure as
/// in gram().
///
/// With m nodes of k ranks, n elements, per rank:
///   barriers  1 on the node
///   steps     over nodes, one all-gather of the node's result
///   flops     n k (k + 1) + 2 n k on the node, n m (m + 3) over nodes
///
/// Returns null, on all ranks, if vectors are longer or split into more tensors than its limits; if another
/// algorithm than automatic is requested; for double, whose sums keep more digits when ranks share the work;
/// with groups; with more than kernels::max_rows ranks on a node, or nodes; and if hierarchical_allreduce()
/// would return null. Collective; `topology` must outlive the result. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> replicated_allreduce(Topology& topology, const Tensors<T>& tensors);

/// Selects the algorithm by the options, the world and where the tensors are in memory, and prepares it. The
/// first of these that applies:
///   replicated_allreduce     small vectors, and those of two ranks, in shared memory of a node
///   shared_memory_allreduce  one node
///   hierarchical_allreduce   several nodes of equal size: shared memory within them, messages between them
///   by messages              any world: by gram() or tree()
/// The first three apply only with Algorithm::automatic and Algorithm::shared (the first only with
/// automatic).
///
/// Collective; `topology` must outlive the result. Throws adasum::Error on every rank if the lists of tensors
/// differ, or if Algorithm::shared is requested and the world does not allow it. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> make_allreduce(Topology& topology, Tensors<T> tensors, Results results);

}  // namespace adasum::algorithms
