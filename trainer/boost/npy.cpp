// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/npy.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <regex>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/output_folder.h"
#include "base/system_text.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

static_assert(std::endian::native == std::endian::little);

// A file begins with this, the format (2 bytes), the length of its header (2 bytes, from format 2 on 4), and
// the header: a dictionary of Python.
constexpr std::string_view magic = "\x93NUMPY"sv;
constexpr std::size_t longest_header = 4096;

/// NumPy aligns the values to 64 bytes.
std::string head_of(std::size_t rows, std::size_t columns) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  const std::size_t before = magic.size() + 4;
  header.resize((before + header.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  header += '\n';
  std::string head(magic);
  head += {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return head + header;
}

}  // namespace

NpyFile::NpyFile(const fs::path& file) : name_(file.string()) {
  std::error_code error;
  // Opening a pipe would block until there is a writer.
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) fail("not a regular file");
  file_.open(file, std::ios::binary);
  if (!file_) fail("cannot be opened: " + base::system_text(errno));
  size_ = fs::file_size(file, error);
  if (error) fail("cannot be read: " + error.message());
  parse(read_header());
}

void NpyFile::fail(const std::string& what) const {
  throw Error(name_ + ": " + what);
}

void NpyFile::read(void* to, std::size_t bytes) {
  if (!file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes))) fail("cannot be read");
}

std::string NpyFile::read_header() {
  std::array<unsigned char, 8> head{};
  if (size_ < head.size()) fail("not a file of NumPy");
  read(head.data(), head.size());
  if (std::string_view(reinterpret_cast<const char*>(head.data()), magic.size()) != magic)
    fail("not a file of NumPy");
  const std::size_t digits = head[6] == 1 ? 2 : 4;
  std::uint32_t length = 0;
  begin_ = head.size() + digits;
  if (size_ < begin_) fail("torn: its end is missing");
  read(&length, digits);
  if (length > longest_header || length > size_ - begin_) fail("its header is too long");
  std::string header(length, '\0');
  read(header.data(), length);
  begin_ += length;
  return header;
}

void NpyFile::parse(const std::string& header) {
  static const std::regex wanted(
      R"(\{'descr': *'<f([48])', *'fortran_order': *False, *'shape': *\((\d{1,12}), *(\d{1,12})\),? *\} *\n?)");
  std::smatch found;
  if (!std::regex_match(header, found, wanted)) {
    fail("wanted a matrix (two dimensions) of float32 or float64, rows one after the other");
  }
  is_double_ = found[1] == "8";
  rows_ = std::stoull(found[2]);
  columns_ = std::stoull(found[3]);
  const std::uint64_t item = is_double_ ? sizeof(double) : sizeof(float);
  const std::uint64_t items = (size_ - begin_) / item;
  if (rows_ == 0 || columns_ == 0) fail("has no values");
  const bool fits = items / columns_ == rows_ && rows_ * columns_ * item == size_ - begin_;
  if (!fits) fail("is not as long as its header says");
}

void NpyFile::read_row(std::size_t row, std::span<float> values) {
  const std::size_t item = is_double_ ? sizeof(double) : sizeof(float);
  file_.seekg(static_cast<std::streamoff>(begin_ + row * columns_ * item));
  if (is_double_) {
    std::vector<double> wide(columns_);
    read(wide.data(), columns_ * item);
    std::ranges::transform(wide, values.begin(), [](double value) { return static_cast<float>(value); });
  } else {
    read(values.data(), columns_ * item);
  }
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
    fail("row " + std::to_string(row) + " holds NaN or infinity");
  }
}

NpyWriter::NpyWriter(const fs::path& file, std::size_t rows, std::size_t columns)
    : file_(file), temporary_(file.string() + ".unfinished"), columns_(columns) {
  constexpr mode_t readable = 0644;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const base::FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) fail();
  open_ = base::open_own_file(opened.get(), fs::path(temporary_).filename(), O_RDWR | O_CREAT, readable)
              .release();
  if (open_ < 0) fail();
  if (!take_lock()) {
    ::close(open_);
    throw Error(file_.string() + ": another process is writing it");
  }
  const std::string head = head_of(rows, columns);
  begin_ = head.size();
  try {
    if (::ftruncate(open_, 0) != 0) fail();
    if (::ftruncate(open_, static_cast<off_t>(begin_ + rows * columns * sizeof(float))) != 0) fail();
    write_at(0, std::as_bytes(std::span(head)));
  } catch (...) {
    ::close(open_);
    ::unlink(temporary_.c_str());
    throw;
  }
}

// False too if another process has just given the file its final name, or removed it.
bool NpyWriter::take_lock() const {
  struct stat mine {};
  struct stat named {};
  return ::flock(open_, LOCK_EX | LOCK_NB) == 0 && ::fstat(open_, &mine) == 0 &&
         ::stat(temporary_.c_str(), &named) == 0 && mine.st_ino == named.st_ino;
}

NpyWriter::~NpyWriter() {
  if (open_ < 0) return;
  ::close(open_);
  ::unlink(temporary_.c_str());
}

void NpyWriter::fail() const {
  throw Error(file_.string() + ": cannot be written: " + base::system_text(errno));
}

void NpyWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(open_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno != EINTR) fail();
    if (wrote <= 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    offset += static_cast<std::uint64_t>(wrote);
  }
}

void NpyWriter::write(std::size_t row, std::size_t column, std::span<const float> values) {
  write_at(begin_ + (row * columns_ + column) * sizeof(float), std::as_bytes(values));
}

void NpyWriter::finish() {
  if (::fsync(open_) != 0 || ::rename(temporary_.c_str(), file_.c_str()) != 0) fail();
  ::close(open_);
  open_ = -1;
}

}  // namespace adarun::trainer
