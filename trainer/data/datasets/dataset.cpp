// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/dataset.h"

#include "trainer/base/named.h"
#include "trainer/data/datasets/cifar10.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/datasets/image_folder.h"
#include "trainer/data/datasets/mnist.h"

namespace adarun::trainer {
namespace {

template <typename Files>
std::unique_ptr<Dataset> read(const std::string& path, DatasetPart part, std::uint64_t /*seed*/,
                              const Sharing& sharing) {
  sharing.check_folder(path);
  return std::make_unique<Files>(path, part, sharing);
}

std::unique_ptr<Dataset> find_files(const std::string& path, DatasetPart part, std::uint64_t /*seed*/,
                                    const Sharing& /*sharing*/) {
  return std::make_unique<ImageFolder>(path, part);
}

std::unique_ptr<Dataset> draw_digits(const std::string& /*path*/, DatasetPart part, std::uint64_t seed,
                                     const Sharing& /*sharing*/) {
  return std::make_unique<Digits>(part, seed);
}

struct Entry {
  const char* name;
  std::unique_ptr<Dataset> (*open)(const std::string& path, DatasetPart part, std::uint64_t seed,
                                   const Sharing& sharing);
  bool has_files = true;
};

const Entry table[] = {
    {"digits", draw_digits, false},
    {"mnist", read<Mnist>},
    {"cifar10", read<Cifar10>},
    {"imagefolder", find_files},
};

}  // namespace

std::vector<std::string> dataset_names() {
  return names_in(table);
}

void require_folder(const std::string& name, const std::string& path) {
  if (entry_named(table, "dataset", name).has_files && path.empty())
    throw Error(
        "dataset " + name + ": no folder: give --data-path DIR, or --env DATA_PATH=DIR to adarun train",
        Exit::usage);
}

std::unique_ptr<Dataset> open_dataset(const std::string& name, const std::string& path, DatasetPart part,
                                      std::uint64_t seed, const Sharing& sharing) {
  require_folder(name, path);
  return entry_named(table, "dataset", name).open(path, part, seed, sharing);
}

}  // namespace adarun::trainer
