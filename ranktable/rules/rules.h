// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ranktable/model/finding.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

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

}  // namespace adarun::ranktable
