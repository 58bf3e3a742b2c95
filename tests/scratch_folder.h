// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace adarun::test {

/// A new folder for one test, with the files that the test writes; the destructor removes it and everything
/// in it.
class ScratchFolder {
 public:
  /// Throws std::runtime_error.
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "adarun_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file of these bytes, creates the folders above it, and returns its path. An existing file of
  /// that name is removed first: when a file is truncated and written again, ext4 writes it to disk at once.
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::filesystem::remove(path_ / name);
    return append(name, bytes);
  }

  /// The same, but appends to the file.
  std::filesystem::path append(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary | std::ios::app) << bytes;
    return path_ / name;
  }

  /// Gives a file new content. It stays the same file (inode), which after write() is left to chance.
  void rewrite(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::in | std::ios::out) << bytes;
    std::filesystem::resize_file(path_ / name, bytes.size());
  }

 private:
  std::filesystem::path path_;
};

/// The bytes of a file; empty if it cannot be read.
inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace adarun::test
