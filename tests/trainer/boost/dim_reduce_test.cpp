// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/dim_reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/base/collective.h"
#include "trainer/base/random.h"

namespace adarun::trainer {
namespace {

using Vector = std::vector<double>;
using Values = std::vector<float>;

constexpr std::size_t k = 5;
constexpr std::size_t n = 40;

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Vector random_vector(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  Vector values(size);
  for (double& value : values) value = random.uniform(-1, 1);
  return values;
}

/// k orthonormal rows of n values, by Gram and Schmidt.
std::vector<Vector> random_basis(std::uint64_t seed) {
  std::vector<Vector> basis;
  for (std::size_t i = 0; i < k; ++i) {
    Vector row = random_vector(n, seed + i);
    for (const Vector& before : basis) {
      const double along = product(row, before);
      for (std::size_t j = 0; j < n; ++j) row[j] -= along * before[j];
    }
    const double length = std::sqrt(product(row, row));
    for (double& value : row) value /= length;
    basis.push_back(row);
  }
  return basis;
}

/// The loss of a rank: sum of a_i (w_i - c_i)^2 / 2, with another c on each rank.
struct Quadratic {
  Vector a;
  Vector c;

  double loss(const Vector& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * (w[i] - c[i]) * (w[i] - c[i]) / 2;
    return sum;
  }

  Vector gradient(const Vector& w) const {
    Vector g(n);
    for (std::size_t i = 0; i < n; ++i) g[i] = a[i] * (w[i] - c[i]);
    return g;
  }
};

Quadratic of_rank(int rank) {
  Quadratic quadratic{Vector(n), random_vector(n, 100 + static_cast<std::uint64_t>(rank))};
  for (std::size_t i = 0; i < n; ++i) quadratic.a[i] = 0.2 + 0.05 * static_cast<double>(i);
  return quadratic;
}

Vector as_double(std::span<const float> values) {
  return {values.begin(), values.end()};
}

/// The method in double, with all of its matrices written out, for all ranks at once.
class Reference {
 public:
  Reference(const DimReduceOptions& options, std::vector<Vector> p, int ranks)
      : options_(options), p_(std::move(p)) {
    for (int rank = 0; rank < ranks; ++rank) losses_.push_back(of_rank(rank));
    for (std::size_t i = 0; i < k; ++i) {
      b_.emplace_back(k);
      b_[i][i] = 1;
    }
  }

  Vector gradient(const Vector& w) const {
    Vector mean(n);
    for (const Quadratic& of : losses_) {
      const Vector g = of.gradient(w);
      for (std::size_t i = 0; i < n; ++i) mean[i] += g[i] / static_cast<double>(losses_.size());
    }
    return mean;
  }

  /// Returns the accepted r.
  double step(Vector& w) {
    const Vector g = gradient(w);
    Vector u(k);
    for (std::size_t i = 0; i < k; ++i) u[i] = product(p_[i], g);
    const Vector q_before = q_;
    const std::vector<Vector> b_before = b_;
    if (seen_) learn(u);
    seen_ = true;
    q_ = u;
    Vector d(k);
    for (std::size_t i = 0; i < k; ++i) d[i] = -product(b_[i], u);
    const Vector along = spread(d);
    const Vector inside = spread(u);
    double accepted = 0;
    for (const double r : {1.0, options_.rho}) {
      Vector tried = w;
      for (std::size_t i = 0; i < n; ++i) tried[i] += r * along[i];
      if (mean_loss(tried) < mean_loss(w) + options_.sigma * r * product(u, d)) {
        accepted = r;
        for (std::size_t i = 0; i < k; ++i) s_[i] = r * d[i];
        break;
      }
    }
    if (accepted == 0) {
      q_ = q_before;
      b_ = b_before;
    }
    for (std::size_t i = 0; i < n; ++i) {
      m_[i] = options_.gamma * m_[i] + g[i] - inside[i];
      w[i] -= options_.alpha * m_[i] - accepted * along[i];
    }
    return accepted;
  }

 private:
  double mean_loss(const Vector& w) const {
    double sum = 0;
    for (const Quadratic& of : losses_) sum += of.loss(w);
    return sum / static_cast<double>(losses_.size());
  }

  Vector spread(const Vector& of) const {
    Vector all(n);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < n; ++j) all[j] += of[i] * p_[i][j];
    }
    return all;
  }

  void learn(const Vector& u) {
    Vector y(k);
    for (std::size_t i = 0; i < k; ++i) y[i] = u[i] - q_[i];
    const double c = product(y, s_);
    if (c <= 1e-20) return;
    std::vector<Vector> t(k, Vector(k));
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) t[i][j] = (i == j ? 1.0 : 0.0) - y[i] * s_[j] / c;
    }
    std::vector<Vector> after(k, Vector(k));
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        after[i][j] = s_[i] * s_[j] / c;
        for (std::size_t x = 0; x < k; ++x) {
          for (std::size_t z = 0; z < k; ++z) after[i][j] += t[x][i] * b_[x][z] * t[z][j];
        }
      }
    }
    b_ = after;
  }

  DimReduceOptions options_;
  std::vector<Vector> p_;
  std::vector<Quadratic> losses_;
  std::vector<Vector> b_;
  Vector q_ = Vector(k);
  Vector s_ = Vector(k);
  Vector m_ = Vector(n);
  bool seen_ = false;
};

/// The weights after `steps` steps on `ranks` ranks, the same on all of them.
Values trained(const DimReduceOptions& options, const std::vector<Vector>& p, int ranks, int steps) {
  Values result;
  std::mutex mutex;
  adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
    const adasum::Range mine = basis_rows(k, communicator.rank(), communicator.size());
    SharedBasis basis{k, n, {}};
    for (std::size_t i = mine.begin; i < mine.end; ++i)
      basis.rows.insert(basis.rows.end(), p[i].begin(), p[i].end());
    const auto optimizer = make_dim_reduce(options, basis, communicator);
    const Reference all(options, p, ranks);
    const Quadratic own = of_rank(communicator.rank());
    Values w(n);
    for (int step = 1; step <= steps; ++step) {
      const Vector g = all.gradient(as_double(w));
      const Values gradients(g.begin(), g.end());
      optimizer->step(w, gradients,
                      {0, step, {own.loss(as_double(w)), [&] { return own.loss(as_double(w)); }}});
    }
    const std::lock_guard lock(mutex);
    if (result.empty()) result = w;
    EXPECT_EQ(w, result) << "rank " << communicator.rank();
  });
  return result;
}

void expect_near(const Values& got, const Vector& wanted) {
  // Twelve steps of numbers about 1, in float.
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(got[i], wanted[i], 2e-5) << i;
}

TEST(DimReduce, EqualsItsFormulasInDoubleOnAnyNumberOfRanks) {
  const std::vector<Vector> p = random_basis(1);
  const DimReduceOptions options{.alpha = 0.01};
  for (const int ranks : {1, 2, 3, 4, 8}) {
    Reference reference(options, p, ranks);
    Vector w(n);
    int accepted = 0;
    for (int step = 0; step < 12; ++step) {
      if (reference.step(w) > 0) ++accepted;
    }
    EXPECT_GT(accepted, 2);
    expect_near(trained(options, p, ranks, 12), w);
  }
}

TEST(DimReduce, DependsOnTheSpanOfItsBasisOnly) {
  const std::vector<Vector> p = random_basis(1);
  std::vector<Vector> turned = p;
  const double cosine = std::cos(0.7);
  const double sine = std::sin(0.7);
  for (std::size_t j = 0; j < n; ++j) {
    turned[0][j] = cosine * p[0][j] - sine * p[3][j];
    turned[3][j] = sine * p[0][j] + cosine * p[3][j];
  }
  const Values as_it_was = trained({}, p, 2, 12);
  expect_near(trained({}, turned, 2, 12), as_double(as_it_was));
}

TEST(DimReduce, MovesOutsideTheSubspaceAloneWhereNoTrialIsAccepted) {
  const std::vector<Vector> p = random_basis(1);
  // A part of the promised descent that a quadratic with a step of B = I does not reach.
  const DimReduceOptions strict{.alpha = 0.01, .sigma = 0.999999};
  Reference reference(strict, p, 1);
  Vector w(n);
  EXPECT_EQ(reference.step(w), 0);
  EXPECT_EQ(reference.step(w), 0);
  const Values got = trained(strict, p, 1, 2);
  expect_near(got, w);
  for (const Vector& row : p) EXPECT_NEAR(product(row, as_double(got)), 0, 1e-6);
}

TEST(DimReduce, ContinuesFromItsState) {
  const std::vector<Vector> p = random_basis(1);
  SharedBasis basis{k, n, {}};
  for (const Vector& row : p) basis.rows.insert(basis.rows.end(), row.begin(), row.end());
  SingleProcessCommunicator alone;
  const Quadratic loss = of_rank(0);
  Values w(n);
  const auto step = [&](Optimizer& optimizer) {
    const Vector g = loss.gradient(as_double(w));
    const Values gradients(g.begin(), g.end());
    optimizer.step(w, gradients, {0, 1, {loss.loss(as_double(w)), [&] { return loss.loss(as_double(w)); }}});
  };
  const auto first = make_dim_reduce({}, basis, alone);
  for (int i = 0; i < 3; ++i) step(*first);
  const auto second = make_dim_reduce({}, basis, alone);
  const auto from = first->state();
  const auto to = second->state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) std::ranges::copy(from[i], to[i].begin());
  const Values before = w;
  step(*first);
  const Values wanted = w;
  w = before;
  step(*second);
  EXPECT_EQ(w, wanted);
}

}  // namespace
}  // namespace adarun::trainer
