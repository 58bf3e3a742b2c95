// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/max_pool.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace adarun::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Planes of rows x columns values, stored consecutively, and the shape of the result.
struct Planes {
  explicit Planes(at::IntArrayRef shape)
      : count(shape[0] * shape[1]),
        rows(shape[2]),
        columns(shape[3]),
        out_rows(rows / 2),
        out_columns(columns / 2) {}

  /// Calls visit(index of the first value of the upper of two rows, index of their first window) for each row
  /// of windows.
  template <typename Visit>
  void for_each_row(const Visit& visit) const {
    std::int64_t window = 0;
    for (std::int64_t plane = 0; plane < count; ++plane) {
      for (std::int64_t row = 0; row < out_rows; ++row, window += out_columns)
        visit((plane * rows + 2 * row) * columns, window);
    }
  }

  std::int64_t count, rows, columns, out_rows, out_columns;
};

using Floats = float __attribute__((vector_size(16)));
using Places = std::int32_t __attribute__((vector_size(16)));
using PlaceBytes = std::uint8_t __attribute__((vector_size(4)));
constexpr std::int64_t lanes = sizeof(Floats) / sizeof(float);

/// Like torch: of several equal largest values the first wins, and NaN is larger than any number. For numbers
/// and for vectors of them.
template <typename Value, typename Place>
void take_larger(Value value, Place place, Value& largest, Place& place_of_largest) {
  const auto larger = (value > largest) | (value != value);
  largest = larger ? value : largest;
  place_of_largest = larger ? place : place_of_largest;
}

/// The largest value of a window and its place; the rows of the window begin at `upper` and `lower`.
template <typename T>
void find_one(const T* upper, const T* lower, T& largest, std::uint8_t& place) {
  T value = upper[0];
  std::uint8_t found = 0;
  take_larger<T, std::uint8_t>(upper[1], 1, value, found);
  take_larger<T, std::uint8_t>(lower[0], 2, value, found);
  take_larger<T, std::uint8_t>(lower[1], 3, value, found);
  largest = value;
  place = found;
}

struct LeftAndRight {
  Floats left, right;
};

/// The left and the right values of `lanes` windows beside each other.
LeftAndRight split(const float* row) {
  Floats low;
  Floats high;
  std::memcpy(&low, row, sizeof low);
  std::memcpy(&high, row + lanes, sizeof high);
  return {__builtin_shufflevector(low, high, 0, 2, 4, 6), __builtin_shufflevector(low, high, 1, 3, 5, 7)};
}

/// find_one for `lanes` windows beside each other.
void find_lanes(const float* upper, const float* lower, float* largest, std::uint8_t* places) {
  const LeftAndRight above = split(upper);
  const LeftAndRight below = split(lower);
  Floats value = above.left;
  Places place = {};
  take_larger(above.right, Places{} + 1, value, place);
  take_larger(below.left, Places{} + 2, value, place);
  take_larger(below.right, Places{} + 3, value, place);
  const auto bytes = __builtin_convertvector(place, PlaceBytes);
  std::memcpy(largest, &value, sizeof value);
  std::memcpy(places, &bytes, sizeof bytes);
}

template <typename T>
void find_row(const T* upper, const T* lower, std::int64_t count, T* largest, std::uint8_t* places) {
  if constexpr (std::is_same_v<T, float>) {
    // The last windows of a row may be found twice.
    for (std::int64_t i = 0; count >= lanes && i < count; i += lanes) {
      const std::int64_t at = std::min(i, count - lanes);
      find_lanes(upper + 2 * at, lower + 2 * at, largest + at, places + at);
    }
    if (count >= lanes) return;
  }
  for (std::int64_t i = 0; i < count; ++i) find_one(upper + 2 * i, lower + 2 * i, largest[i], places[i]);
}

template <typename T>
void find_largest(const Planes& planes, const T* x, T* largest, std::uint8_t* places) {
  planes.for_each_row([&](std::int64_t at, std::int64_t window) {
    find_row(x + at, x + at + planes.columns, planes.out_columns, largest + window, places + window);
  });
}

template <typename T>
void put_back(const Planes& planes, const T* gradient, const std::uint8_t* places, T* x_gradient) {
  planes.for_each_row([&](std::int64_t at, std::int64_t window) {
    for (std::int64_t i = 0; i < planes.out_columns; ++i) {
      const std::uint8_t place = places[window + i];
      x_gradient[at + 2 * i + (place >> 1U) * planes.columns + (place & 1U)] = gradient[window + i];
    }
  });
}

class MaxPool2x2 : public torch::autograd::Function<MaxPool2x2> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given) {
    const torch::Tensor x = given.contiguous();
    const Planes planes(x.sizes());
    const std::vector<std::int64_t> shape = {x.size(0), x.size(1), planes.out_rows, planes.out_columns};
    torch::Tensor result = torch::empty(shape, x.options());
    const torch::Tensor places = torch::empty(shape, torch::kUInt8);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "max_pool_2x2", [&] {
      find_largest(planes, x.data_ptr<scalar_t>(), result.data_ptr<scalar_t>(),
                   places.data_ptr<std::uint8_t>());
    });
    context->save_for_backward({places});
    context->saved_data["shape"] = x.sizes();
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const torch::Tensor gradient = gradients[0].contiguous();
    const std::vector<std::int64_t> shape = context->saved_data["shape"].toIntVector();
    torch::Tensor x_gradient = torch::zeros(shape, gradient.options());
    const torch::Tensor places = context->get_saved_variables()[0];
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "max_pool_2x2", [&] {
      put_back(Planes(shape), gradient.data_ptr<scalar_t>(), places.data_ptr<std::uint8_t>(),
               x_gradient.data_ptr<scalar_t>());
    });
    return {x_gradient};
  }
};

}  // namespace

torch::Tensor max_pool_2x2(const torch::Tensor& x) {
  const bool known = x.is_cpu() && (x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kDouble);
  return known ? MaxPool2x2::apply(x) : torch::max_pool2d(x, 2);
}

}  // namespace adarun::trainer
