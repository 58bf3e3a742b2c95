// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::trainer {

struct Model;
struct ModelShape;

/// The models that users choose by name.
std::vector<std::string> model_names();

/// Rows and columns of the images that the model called `name` was made for.
int default_side(const std::string& name);

/// The model called `name`, for `shape`. Throws Error: usage where there is none, refused where the images
/// are too small for it.
Model model_named(const std::string& name, const ModelShape& shape);

}  // namespace adarun::trainer
