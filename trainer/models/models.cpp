// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/models.h"

#include "trainer/error.h"
#include "trainer/models/model.h"
#include "trainer/named.h"

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
    {"resnet50", resnet50, 224},
};

}  // namespace

std::vector<std::string> model_names() {
  return names_in(table);
}

int usual_side(const std::string& name) {
  return entry_named(table, "model", name).side;
}

Model model_named(const std::string& name, const ModelShape& shape) {
  const Entry& entry = entry_named(table, "model", name);
  try {
    return make_model(name, entry.forward, shape);
  } catch (const c10::Error&) {
    throw Error("model " + name + ": cannot take images of " + std::to_string(shape.side) + "x" +
                    std::to_string(shape.side) + " pixels (--image-size; usual is " +
                    std::to_string(entry.side) + ")",
                Exit::refused);
  }
}

}  // namespace adarun::trainer
