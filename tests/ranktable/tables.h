// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ranktable/model/error.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// Two cards of one server, byte for byte as the reference generator writes them.
inline const std::string two_cards = R"({
    "version": "1.0",
    "server_count": "1",
    "server_list": [
        {
            "server_id": "10.0.0.2",
            "device": [
                {
                    "device_id": "0",
                    "device_ip": "10.10.100.10",
                    "rank_id": "0"
                },
                {
                    "device_id": "1",
                    "device_ip": "10.10.100.11",
                    "rank_id": "1"
                }
            ],
            "host_nic_ip": "reserve"
        }
    ],
    "status": "completed"
})";

/// The model of `two_cards`.
inline Table two_cards_table() {
  Table table;
  table.servers = {{"10.0.0.2", "reserve", {{0, "10.10.100.10", 0}, {1, "10.10.100.11", 1}}}};
  return table;
}

/// `two_cards` with its first `from` replaced by `to`.
inline std::string edited(const std::string& from, const std::string& to) {
  std::string text = two_cards;
  return text.replace(text.find(from), from.size(), to);
}

/// What `act` throws as ranktable::Error; a failure where it throws nothing.
template <typename Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// A folder of its own for one test, removed at its end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "adarun-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error("no scratch folder");
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace adarun::ranktable
