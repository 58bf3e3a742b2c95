// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace adarun::launcher {

/// What `adarun resize` wants of a running job.
struct ResizeRequest {
  std::string add;     ///< A list of hosts, as --hosts takes it; no file.
  std::string remove;  ///< Likewise; without counts.
  bool now = false;    ///< Do not wait for the next restart.

  bool operator==(const ResizeRequest&) const = default;
};

/// How a resize stands.
struct ResizeState {
  enum class Kind {
    none,     ///< Nothing was wanted.
    refused,  ///< It cannot be done; nothing changes.
    pending,  ///< New nodes are being connected, or the next restart is waited for.
    done,     ///< The ranks of the new attempt run.
  };
  Kind kind = Kind::none;
  std::string text = {};  ///< For the user, in one line without the job's name.
};

/// As lines of the control server: "resize {...}" and its reply. What is no such line gives nullopt.
std::string to_line(const ResizeRequest& request);
std::optional<ResizeRequest> resize_request(const std::string& line);
std::string to_line(const ResizeState& state);
std::optional<ResizeState> resize_state(const std::string& line);

/// The request for the state of the last resize.
inline constexpr const char* how_the_resize_stands = "resize?";

}  // namespace adarun::launcher
