// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trainer/error.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

// A file is this line, the length of the header (8 bytes), the header (JSON), the values, and a CRC-32 of all
// that.
constexpr std::string_view magic = "adarun checkpoint 1\n";

/// A file that is open for writing.
class Output {
 public:
  explicit Output(const fs::path& file)
      : name_(file.string()), file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (file_ < 0) fail();
  }
  ~Output() { ::close(file_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(Bytes bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(file_, bytes.data(), bytes.size());
      if (wrote < 0 && errno != EINTR) fail();
      if (wrote > 0) bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    }
  }

  void sync() {
    if (::fsync(file_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw Error(name_ + ": cannot be written: " + std::strerror(errno)); }

  std::string name_;
  int file_;
};

/// Names in `folder` as the disk has them.
void sync_folder(const fs::path& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  ::fsync(opened);
  ::close(opened);
}

std::uint32_t crc(std::uint32_t before, Bytes bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

nlohmann::json header_of(const Facts& facts, const Moment& moment, const std::vector<std::size_t>& sizes) {
  nlohmann::json header = {{"epoch", moment.epoch},
                           {"step", moment.step},
                           {"steps_taken", moment.steps_taken},
                           {"loss_scale", moment.loss_scale},
                           {"taken_in_a_row", moment.taken_in_a_row},
                           {"values", sizes}};
  for (const auto& [name, value] : facts) header["job"][name] = value;
  return header;
}

Moment moment_in(const nlohmann::json& header) {
  return {header.at("epoch"), header.at("step"), header.at("steps_taken"), header.at("loss_scale"),
          header.at("taken_in_a_row")};
}

/// A checkpoint file that is read from its beginning to its end.
class Input {
 public:
  explicit Input(const fs::path& file) : name_(file.string()), file_(file, std::ios::binary) {
    if (!file_) fail("cannot be opened");
    std::error_code error;
    left_ = fs::file_size(file, error);
  }

  void read(std::span<std::byte> to) {
    if (to.size() > left_) fail("torn: its end is missing");
    if (!file_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size())))
      fail("cannot be read");
    left_ -= to.size();
    crc_ = crc(crc_, to);
  }

  template <typename Value>
  Value read_value() {
    Value value{};
    read(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  std::string read_text(std::uint64_t size) {
    if (size > left_) fail("torn: its end is missing");
    std::string text(size, '\0');
    read(std::as_writable_bytes(std::span(text)));
    return text;
  }

  void check_end() {
    const std::uint32_t wanted = crc_;
    if (read_value<std::uint32_t>() != wanted) fail("torn: its checksum is another");
    if (left_ != 0) fail("goes on after its end");
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error(name_ + ": " + what); }

 private:
  std::string name_;
  std::ifstream file_;
  std::uint64_t left_ = 0;
  std::uint32_t crc_ = 0;
};

void check_job(const Input& input, const nlohmann::json& header, const Facts& facts) {
  for (const auto& [name, value] : facts) {
    const std::string theirs = header.at("job").value(name, "");
    if (theirs != value) {
      input.fail("a checkpoint of another job: its " + name + " is " + theirs + ", this one's is " + value);
    }
  }
}

}  // namespace

void replace_durably(const fs::path& file, const std::vector<Bytes>& bytes) {
  const fs::path unfinished = file.string() + ".unfinished";
  {
    Output output(unfinished);
    for (const Bytes part : bytes) output.write(part);
    output.sync();
  }
  std::error_code error;
  fs::rename(unfinished, file, error);
  if (error) throw Error(file.string() + ": cannot be written: " + error.message());
  sync_folder(file.parent_path());
}

void write_checkpoint(const fs::path& file, const Facts& facts, const Moment& moment,
                      const std::vector<std::span<const float>>& values) {
  std::vector<std::size_t> sizes;
  for (const auto& value : values) sizes.push_back(value.size());
  const std::string header = header_of(facts, moment, sizes).dump();
  const std::uint64_t length = header.size();
  std::vector<Bytes> parts = {std::as_bytes(std::span(magic)), std::as_bytes(std::span(&length, 1)),
                              std::as_bytes(std::span(header))};
  for (const auto& value : values) parts.push_back(std::as_bytes(value));
  std::uint32_t sum = 0;
  for (const Bytes part : parts) sum = crc(sum, part);
  parts.push_back(std::as_bytes(std::span(&sum, 1)));
  replace_durably(file, parts);
}

Moment read_checkpoint(const fs::path& file, const Facts& facts,
                       const std::vector<std::span<float>>& values) {
  Input input(file);
  if (input.read_text(magic.size()) != magic) input.fail("not a checkpoint of this version of adarun");
  const std::string text = input.read_text(input.read_value<std::uint64_t>());
  try {
    const nlohmann::json header = nlohmann::json::parse(text);
    check_job(input, header, facts);
    std::vector<std::size_t> sizes;
    for (const auto& value : values) sizes.push_back(value.size());
    if (header.at("values") != nlohmann::json(sizes)) input.fail("holds other tensors than this job has");
    for (const auto& value : values) input.read(std::as_writable_bytes(value));
    input.check_end();
    return moment_in(header);
  } catch (const nlohmann::json::exception&) {
    input.fail("torn: its header cannot be read");
  }
}

}  // namespace adarun::trainer
