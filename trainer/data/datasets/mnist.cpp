// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/mnist.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>

#include "base/system_text.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

constexpr std::uint64_t max_values = 1U << 30U;

/// A file read through zlib, which also reads files that are not compressed.
class IdxReader {
 public:
  explicit IdxReader(const std::filesystem::path& file) : name_(file.string()) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    // Opening a pipe would block until there is a writer.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      fail("not a regular file");
    file_.reset(gzopen(name_.c_str(), "rb"));
    if (!file_) fail("cannot be opened: " + base::system_text(errno));
  }

  /// Reads at most `size` bytes; fewer only at the end of the file.
  std::size_t read(std::uint8_t* to, std::size_t size) {
    const int got = gzread(file_.get(), to, static_cast<unsigned>(size));
    int code = Z_OK;
    const char* reason = gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR) fail("ends in the middle of its gzip data");
    if (got < 0 || code != Z_OK) fail(std::string("cannot be read: ") + reason);
    return static_cast<std::size_t>(got);
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(name_ + ": " + what); }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
};

std::vector<std::uint32_t> read_shape(IdxReader& reader) {
  std::uint8_t magic[4];
  if (reader.read(magic, 4) < 4) reader.fail("too short for an IDX file");
  if (magic[0] != 0 || magic[1] != 0) reader.fail("not an IDX file: does not begin with two zero bytes");
  if (magic[2] != 0x08) {
    reader.fail("IDX type " + std::to_string(magic[2]) + ", wanted 8 (unsigned byte)");
  }
  if (magic[3] < 1 || magic[3] > 3) {
    reader.fail("IDX with " + std::to_string(magic[3]) + " dimensions, wanted 1 to 3");
  }
  std::vector<std::uint32_t> shape;
  for (int i = 0; i < magic[3]; ++i) {
    std::uint8_t b[4];
    if (reader.read(b, 4) < 4) reader.fail("ends in its IDX header");
    shape.push_back(std::uint32_t{b[0]} << 24U | std::uint32_t{b[1]} << 16U | std::uint32_t{b[2]} << 8U |
                    b[3]);
  }
  return shape;
}

std::uint64_t count_values(const std::vector<std::uint32_t>& shape, const IdxReader& reader) {
  std::uint64_t count = 1;
  for (const std::uint32_t extent : shape) {
    count *= extent;
    if (count > max_values) reader.fail("its IDX header announces more than 1 GiB");
  }
  return count;
}

std::vector<std::uint8_t> read_values(IdxReader& reader, std::uint64_t wanted) {
  std::vector<std::uint8_t> values;
  while (values.size() < wanted) {
    const std::size_t had = values.size();
    values.resize(std::min<std::uint64_t>(wanted, had + (1U << 20U)));
    const std::size_t got = reader.read(values.data() + had, values.size() - had);
    if (had + got < values.size()) {
      reader.fail("has " + std::to_string(had + got) + " values, its header says " + std::to_string(wanted));
    }
  }
  std::uint8_t more = 0;
  if (reader.read(&more, 1) > 0)
    reader.fail("continues after the " + std::to_string(wanted) + " values of its header");
  return values;
}

}  // namespace

Idx read_idx(const std::filesystem::path& file, const Sharing& sharing) {
  IdxReader reader(file);
  const std::vector<std::uint32_t> shape = read_shape(reader);
  const std::uint64_t wanted = count_values(shape, reader);
  return {shape, sharing.once([&] { return read_values(reader, wanted); })};
}

namespace {

namespace fs = std::filesystem;

fs::path find_file(const fs::path& folder, const std::string& below, const std::string& name) {
  for (const fs::path& place : {folder, folder / below}) {
    for (const std::string& candidate : {name, name + ".gz"}) {
      if (fs::is_regular_file(place / candidate)) return place / candidate;
    }
  }
  throw Error(folder.string() + ": has no " + name + " or " + name + ".gz, nor has its folder " + below);
}

std::string shape_text(const Idx& idx) {
  std::string text;
  for (const std::uint32_t extent : idx.shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

}  // namespace

Mnist::Mnist(const fs::path& folder, DatasetPart part, const Sharing& sharing) {
  const std::string below = part == DatasetPart::train ? "train" : "test";
  const std::string prefix = part == DatasetPart::train ? "train" : "t10k";
  const fs::path images = find_file(folder, below, prefix + "-images-idx3-ubyte");
  const fs::path labels = find_file(folder, below, prefix + "-labels-idx1-ubyte");
  images_ = read_idx(images, sharing);
  labels_ = read_idx(labels, sharing);
  if (images_.shape.size() != 3 || images_.shape[1] != image_side || images_.shape[2] != image_side) {
    throw Error(images.string() + ": shape " + shape_text(images_) + ", wanted Nx28x28");
  }
  if (labels_.shape.size() != 1 || labels_.shape[0] != images_.shape[0]) {
    throw Error(labels.string() + ": shape " + shape_text(labels_) + ", wanted " +
                std::to_string(images_.shape[0]) + ", one label for each image of " + images.string());
  }
  if (labels_.values.empty()) throw Error(images.string() + ": holds no image");
  const auto wrong = std::ranges::find_if(labels_.values, [](std::uint8_t label) { return label > 9; });
  if (wrong != labels_.values.end()) {
    throw Error(labels.string() + ": label " + std::to_string(*wrong) + ", wanted 0 to 9");
  }
}

void Mnist::image(std::size_t index, std::span<std::uint8_t> pixels) const {
  std::copy_n(images_.values.begin() + static_cast<std::ptrdiff_t>(index * image_pixels), image_pixels,
              pixels.begin());
}

namespace {

std::array<float, 256> make_levels() {
  std::array<float, 256> levels{};
  for (std::size_t value = 0; value < levels.size(); ++value) {
    levels[value] = static_cast<float>((static_cast<double>(value) / 255.0 - 0.1307) / 0.3081);
  }
  return levels;
}

}  // namespace

Image GrayscaleDataset::picture(std::size_t index) const {
  Image picture = Image::black(image_side, image_side, 1);
  image(index, picture.pixels);
  return picture;
}

void GrayscaleDataset::sample(std::size_t index, const View& view, std::span<float> values) const {
  static const std::array<float, 256> levels = make_levels();
  std::array<std::uint8_t, image_pixels> pixels;
  image(index, pixels);
  const int shift = (view.side - image_side) / 2;
  if (view.side != image_side) std::ranges::fill(values, levels[0]);
  const int begin = std::max(0, -shift);
  const int end = std::min(image_side, view.side - shift);
  for (int row = begin; row < end; ++row) {
    float* const to = values.data() + std::ptrdiff_t{row + shift} * view.side + shift;
    const std::uint8_t* const from = pixels.data() + std::ptrdiff_t{row} * image_side;
    for (int column = begin; column < end; ++column) to[column] = levels[from[column]];
  }
}

}  // namespace adarun::trainer
