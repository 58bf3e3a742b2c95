// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::trainer {

struct LayerOptions;
struct Model;
struct ModelShape;

/// The models that users can select by name.
std::vector<std::string> model_names();

/// Rows and columns of the images for which the model `name` was designed.
int default_side(const std::string& name);

/// The model `name`, for `shape`, with these layers. Throws Error: usage if there is none, refused if the
/// images are too small for it.
Model model_named(const std::string& name, const ModelShape& shape, const LayerOptions& layers);
Model model_named(const std::string& name, const ModelShape& shape);

}  // namespace adarun::trainer
