// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/dim_reduce.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <span>
#include <utility>

#include "trainer/boost/basis.h"

namespace adarun::trainer {
namespace {

using Vector = std::vector<double>;

double dot_of(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// What the method remembers of the k dimensions, for checkpoints in float.
struct Memory {
  std::vector<float> b;     // (k, k), an approximation of the inverse of the loss's second derivatives
  std::vector<float> q;     // the last accepted u
  std::vector<float> s;     // the last accepted step
  std::vector<float> seen;  // one number: 1 after the first step
};

/// B after a step s that changed the gradient by y.
void update(std::vector<float>& b, const Vector& y, std::span<const float> s) {
  const std::size_t k = y.size();
  double c = 0;
  for (std::size_t i = 0; i < k; ++i) c += y[i] * double{s[i]};
  if (!(c > 1e-20)) return;
  // T^T B T + s s^T / c = B - (s v^T + v s^T) / c + (y.v / c + 1) s s^T / c, where v = B y
  Vector v(k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) v[i] += double{b[i * k + j]} * y[j];
  }
  const double factor = (dot_of(y, v) / c + 1) / c;
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      const double si = double{s[i]};
      const double sj = double{s[j]};
      b[i * k + j] =
          static_cast<float>(double{b[i * k + j]} - (si * v[j] + v[i] * sj) / c + factor * si * sj);
    }
  }
}

class DimReduce : public Optimizer {
 public:
  DimReduce(const DimReduceOptions& options, SharedBasis basis, adasum::Communicator& communicator)
      : options_(options),
        basis_(std::move(basis)),
        communicator_(communicator),
        mine_(basis_rows(basis_.components, communicator.rank(), communicator.size())),
        outside_(basis_.values) {
    const std::size_t k = basis_.components;
    memory_ = {std::vector<float>(k * k), std::vector<float>(k), std::vector<float>(k),
               std::vector<float>(1)};
    for (std::size_t i = 0; i < k; ++i) memory_.b[i * k + i] = 1;
  }

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    assert(at.loss.measure);
    const Vector u = projected(gradients);
    const Memory before = memory_;
    const Vector d = direction(u);
    project_back(d, u);
    const double r = accepted_length(weights, dot_of(u, d), at.loss);
    if (r > 0) {
      for (std::size_t i = 0; i < d.size(); ++i) memory_.s[i] = static_cast<float>(r * d[i]);
    } else {
      memory_.b = before.b;
      memory_.q = before.q;
    }
    move(weights, gradients, static_cast<float>(r));
  }

  std::vector<std::span<float>> state() override {
    return {memory_.b, memory_.q, memory_.s, memory_.seen, outside_};
  }

  std::string identity() const override { return basis_.identity; }

 private:
  std::span<const float> row(std::size_t number) const {
    return std::span(basis_.rows).subspan((number - mine_.begin) * basis_.values, basis_.values);
  }

  /// u = P g, on all ranks.
  Vector projected(std::span<const float> gradients) const {
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    const std::size_t share = (basis_.components + ranks - 1) / ranks;
    Vector own(share);
    for (std::size_t i = mine_.begin; i < mine_.end; ++i) own[i - mine_.begin] = dot(row(i), gradients);
    Vector all(share * ranks);
    communicator_.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    all.resize(basis_.components);
    return all;
  }

  /// Learns from u, and returns d = -B u.
  Vector direction(const Vector& u) {
    const std::size_t k = u.size();
    if (memory_.seen[0] != 0) {
      Vector y(k);
      for (std::size_t i = 0; i < k; ++i) y[i] = u[i] - double{memory_.q[i]};
      update(memory_.b, y, memory_.s);
    }
    memory_.seen[0] = 1;
    std::ranges::transform(u, memory_.q.begin(), [](double value) { return static_cast<float>(value); });
    Vector d(k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) d[i] -= double{memory_.b[i * k + j]} * u[j];
    }
    return d;
  }

  /// D = P^T d and G = P^T u, one after the other in projections_.
  void project_back(const Vector& d, const Vector& u) {
    const std::size_t values = basis_.values;
    projections_.assign(2 * values, 0);
    for (std::size_t i = mine_.begin; i < mine_.end; ++i) {
      const std::span<const float> of = row(i);
      const auto along_d = static_cast<float>(d[i]);
      const auto along_u = static_cast<float>(u[i]);
      for (std::size_t n = 0; n < values; ++n) {
        projections_[n] += along_d * of[n];
        projections_[values + n] += along_u * of[n];
      }
    }
    communicator_.sum(std::span(projections_));
  }

  double mean_over_ranks(double value) const {
    communicator_.sum(std::span(&value, 1));
    return value / communicator_.size();
  }

  /// The r of the accepted trial, else 0. Leaves the weights as they were.
  double accepted_length(std::span<float> weights, double slope, const BatchLoss& loss) {
    const std::vector<float> before(weights.begin(), weights.end());
    const double here = mean_over_ranks(loss.value);
    double accepted = 0;
    for (const double r : {1.0, options_.rho}) {
      for (std::size_t n = 0; n < weights.size(); ++n)
        weights[n] = before[n] + static_cast<float>(r) * projections_[n];
      if (mean_over_ranks(loss.measure()) < here + options_.sigma * r * slope) {
        accepted = r;
        break;
      }
    }
    std::ranges::copy(before, weights.begin());
    return accepted;
  }

  void move(std::span<float> weights, std::span<const float> gradients, float r) {
    const auto gamma = static_cast<float>(options_.gamma);
    const auto alpha = static_cast<float>(options_.alpha);
    for (std::size_t n = 0; n < weights.size(); ++n) {
      outside_[n] = gamma * outside_[n] + (gradients[n] - projections_[weights.size() + n]);
      weights[n] -= alpha * outside_[n] - r * projections_[n];
    }
  }

  DimReduceOptions options_;
  SharedBasis basis_;
  adasum::Communicator& communicator_;
  adasum::Range mine_;
  Memory memory_;
  std::vector<float> outside_;      // M: follows the gradient outside the subspace
  std::vector<float> projections_;  // D and G
};

}  // namespace

adasum::Range basis_rows(std::size_t components, int rank, int size) {
  const auto ranks = static_cast<std::size_t>(size);
  const std::size_t share = (components + ranks - 1) / ranks;
  const std::size_t begin = std::min(static_cast<std::size_t>(rank) * share, components);
  return {begin, std::min(begin + share, components)};
}

std::unique_ptr<Optimizer> make_dim_reduce(const DimReduceOptions& options, SharedBasis basis,
                                           adasum::Communicator& communicator) {
  return std::make_unique<DimReduce>(options, std::move(basis), communicator);
}

}  // namespace adarun::trainer
