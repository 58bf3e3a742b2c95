// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace adarun::monitor {

/// A folder that is there as long as this object, and files in it.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "adarun-monitor-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp: " + path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return put(name, text, std::ios::trunc);
  }
  std::filesystem::path append(const std::string& name, const std::string& text) const {
    return put(name, text, std::ios::app);
  }

 private:
  std::filesystem::path put(const std::string& name, const std::string& text, std::ios::openmode mode) const {
    const std::filesystem::path path = this->path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary | mode) << text;
    return path;
  }

  std::string path_;
};

}  // namespace adarun::monitor
