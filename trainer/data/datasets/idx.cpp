// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/idx.h"

#include <zlib.h>

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

}  // namespace adarun::trainer
