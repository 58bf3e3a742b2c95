// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

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

/// The ranktable::Error that `act` throws; a test failure if it throws nothing.
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

}  // namespace adarun::ranktable
