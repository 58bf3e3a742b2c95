// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ranktable/model/finding.h"
#include "ranktable/rules/device_index.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

// Rules for the devices of a table of any schema. Each appends what it finds; the check of a schema calls
// those that it is held to.

/// Device ids: each once in its server, not too large.
void check_device_ids(const DeviceIndex& index, Findings& findings);

/// Ranks: each once, contiguous from 0, those of a server together.
void check_ranks(const DeviceIndex& index, Findings& findings);

/// Card addresses: all or none, valid, each once, of one family.
void check_addresses(const DeviceIndex& index, const ValidateOptions& options, Findings& findings);

/// Schema, numbers of devices and rings, by generation. Plain tables are of no generation; says nothing of
/// numbers where a server has no devices, which is an error of its own.
void check_generations(const DeviceIndex& index, const ValidateOptions& options, Findings& findings);

/// The number of devices, for the profile adasum.
void check_profile(const DeviceIndex& index, const ValidateOptions& options, Findings& findings);

}  // namespace adarun::ranktable
