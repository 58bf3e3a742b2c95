// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/models.h"

#include <utility>

#include "trainer/base/error.h"
#include "trainer/base/named.h"
#include "trainer/models/model.h"

namespace adarun::trainer {
namespace {

struct Entry {
  const char* name;
  Forward forward;
  int side;
};

const Entry table[] = {
    {"lenet5", lenet5, 32},       //
    {"mlp", mlp, 28},             //
    {"resnet18", resnet18, 224},  //
    {"resnet20", resnet20, 32},   //
    {"resnet50", resnet50, 224},  //
    {"vgg16", vgg16, 224},        //
    {"wide_mlp", wide_mlp, 28},
};

}  // namespace

Model make_model(const std::string& name, Forward forward, const ModelShape& shape,
                 const LayerOptions& layers) {
  Layers outline(layers);
  forward(outline, torch::zeros({1, shape.channels, shape.side, shape.side}), shape.classes);
  planner::ModelGraph graph = outline.graph();
  graph.model = name;
  return {name, shape, forward, layers, outline.parameters(), outline.buffers(), std::move(graph)};
}

std::vector<std::string> model_names() {
  return names_in(table);
}

int default_side(const std::string& name) {
  return entry_named(table, "model", name).side;
}

Model model_named(const std::string& name, const ModelShape& shape) {
  return model_named(name, shape, {});
}

Model model_named(const std::string& name, const ModelShape& shape, const LayerOptions& layers) {
  const Entry& entry = entry_named(table, "model", name);
  try {
    return make_model(name, entry.forward, shape, layers);
  } catch (const c10::Error&) {
    throw Error("model " + name + ": cannot take images of " + std::to_string(shape.side) + "x" +
                    std::to_string(shape.side) + " pixels (--image-size; usual is " +
                    std::to_string(entry.side) + ")",
                Exit::refused);
  }
}

}  // namespace adarun::trainer
