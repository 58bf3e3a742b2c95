// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

/// Checks "$.status", for every schema with a status.
void check_status(const std::string& status, const ValidateOptions& options, Findings& findings);

/// Checks the server_id at `path`: present, not a placeholder, not too long, only safe characters.
void check_server_id(const std::string& server_id, const std::string& path, Findings& findings);

/// Checks any other name at `path`, such as that of a pod or a group: no control characters.
void check_name(const std::string& text, const std::string& path, Findings& findings);

/// Reports a count at `path` if the parser found it `wrong`; it should be `right`.
void check_count(const std::optional<std::string>& wrong, std::size_t right, const Rule& rule,
                 const std::string& path, Findings& findings);

// Rules for the devices of a table of any schema. Each appends its findings; the check of a schema calls the
// rules that apply to it.

/// Device ids: unique in their server, not too large.
void check_device_ids(const DeviceIndex& index, Findings& findings);

/// Ranks: unique, contiguous from 0, consecutive within a server.
void check_ranks(const DeviceIndex& index, Findings& findings);

/// Card addresses: all or none, valid, unique, of one family.
void check_addresses(const DeviceIndex& index, const ValidateOptions& options, Findings& findings);

/// Schema, numbers of devices and rings, by generation. Plain tables belong to no generation. Numbers are not
/// checked if a server has no devices, which another rule reports.
void check_generations(const DeviceIndex& index, const ValidateOptions& options, Findings& findings);

/// The number of devices, for the profile `adasum`.
void check_profile(const DeviceIndex& index, const ValidateOptions& options, Findings& findings);

/// Why AdaSum does not accept this number of ranks, in the reference's words; nothing if it does: at least
/// 16, and a power of two.
std::optional<std::string> adasum_refusal(std::size_t world_size);

/// Whether HCCL accepts these four cards, bit i for card i, on Ascend 910, where cards 0-3 and 4-7 form
/// separate rings: 0123 4567 0145 0246 0347 1256 1357 2367.
bool is_set_of_four(std::uint32_t cards);

/// Reports findings of one generation, prefixed with its name. If that generation was not requested, errors
/// become warnings.
class GenerationFindings {
 public:
  GenerationFindings(Generation generation, bool asked_for, Findings& findings);

  void report(const Rule& rule, const std::string& path, const std::string& found);

 private:
  std::string_view name_;
  bool asked_for_;
  Findings& findings_;
};

}  // namespace adarun::ranktable
