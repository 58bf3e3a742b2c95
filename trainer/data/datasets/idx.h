// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "trainer/data/datasets/sharing.h"

namespace adarun::trainer {

/// The contents of an IDX file of unsigned bytes, as MNIST has them.
struct Idx {
  std::vector<std::uint32_t> shape;  ///< (count) for labels, (count, rows, columns) for images.
  Bytes values;                      ///< Row by row; as many as the shape says.
};

/// Reads `file`, plain or gzip whatever its name. Format: two zero bytes, type 0x08, number of dimensions,
/// each dimension as a big-endian 32-bit number, then the values.
///
/// Throws Error naming the file and what is wrong with it: not there, not IDX, another type, values missing
/// or left over, more than 1 GiB of them, or gzip data that does not check. Collective where `sharing` is.
Idx read_idx(const std::filesystem::path& file, const Sharing& sharing = {});

}  // namespace adarun::trainer
