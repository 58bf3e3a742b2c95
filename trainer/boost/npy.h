// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace adarun::trainer {

/// A matrix in a file of NumPy (.npy, format 1 to 3), read row by row: float32 or float64 (then rounded to
/// float), rows one after the other.
class NpyFile {
 public:
  /// Opens `file` and reads its header. Throws Error if it is not such a matrix, or longer or shorter than
  /// its header says.
  explicit NpyFile(const std::filesystem::path& file);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// Reads row number `row` < rows() into columns() values. Throws Error if it cannot be read, or has NaN or
  /// an infinity.
  void read_row(std::size_t row, std::span<float> values);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::string read_header();
  void parse(const std::string& header);
  void read(void* to, std::size_t bytes);

  std::string name_;
  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::uint64_t begin_ = 0;  // of the values
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  bool is_double_ = false;
};

/// Writes a float32 matrix to a file of NumPy, part by part in any order: to `<file>.unfinished` beside it,
/// which takes its name at the end. What is never written is 0. What a process of this user that was killed
/// has left there is overwritten.
class NpyWriter {
 public:
  /// Throws Error if it cannot be written, or if another process is writing it.
  NpyWriter(const std::filesystem::path& file, std::size_t rows, std::size_t columns);
  /// Removes the temporary file unless finish() was called.
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  /// Writes `values` from (row, column) on. Throws Error.
  void write(std::size_t row, std::size_t column, std::span<const float> values);

  /// Returns when the file is complete on disk. Throws Error.
  void finish();

 private:
  [[noreturn]] void fail() const;
  bool take_lock() const;
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  std::filesystem::path file_;
  std::string temporary_;
  int open_ = -1;
  std::uint64_t begin_ = 0;
  std::size_t columns_;
};

}  // namespace adarun::trainer
