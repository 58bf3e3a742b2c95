// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace adarun::trainer::testing_data {

/// A folder of its own for one test, removed with all that is in it.
class TempFolder {
 public:
  TempFolder() {
    std::string name = testing::TempDir() + "adarun_trainer_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file of these bytes, with the folders it needs, and returns where it is.
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The bytes of a file.
inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The header of an IDX file of unsigned bytes.
inline std::string idx_header(std::initializer_list<std::uint32_t> shape) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(shape.size());
  for (const std::uint32_t extent : shape) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(extent >> shift & 0xFFU);
  }
  return bytes;
}

}  // namespace adarun::trainer::testing_data
