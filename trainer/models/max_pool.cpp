// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/max_pool.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>

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

  /// Calls visit(index of the top left value of a window, index of the window) for each window.
  template <typename Visit>
  void for_each_window(const Visit& visit) const {
    std::int64_t window = 0;
    for (std::int64_t plane = 0; plane < count; ++plane) {
      for (std::int64_t row = 0; row < out_rows; ++row) {
        const std::int64_t begin = (plane * rows + 2 * row) * columns;
        for (std::int64_t column = 0; column < out_columns; ++column) visit(begin + 2 * column, window++);
      }
    }
  }

  std::int64_t count, rows, columns, out_rows, out_columns;
};

/// Like torch: of several equal largest values the first wins, and NaN is larger than any number.
template <typename T>
void take_larger(T value, std::uint8_t place, T& largest, std::uint8_t& place_of_largest) {
  const bool larger = value > largest || value != value;
  largest = larger ? value : largest;
  place_of_largest = larger ? place : place_of_largest;
}

template <typename T>
void find_largest(const Planes& planes, const T* x, T* largest, std::uint8_t* places) {
  planes.for_each_window([&](std::int64_t at, std::int64_t window) {
    T value = x[at];
    std::uint8_t place = 0;
    take_larger(x[at + 1], 1, value, place);
    take_larger(x[at + planes.columns], 2, value, place);
    take_larger(x[at + planes.columns + 1], 3, value, place);
    largest[window] = value;
    places[window] = place;
  });
}

template <typename T>
void put_back(const Planes& planes, const T* gradient, const std::uint8_t* places, T* x_gradient) {
  planes.for_each_window([&](std::int64_t at, std::int64_t window) {
    const std::uint8_t place = places[window];
    x_gradient[at + (place >> 1U) * planes.columns + (place & 1U)] = gradient[window];
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
