// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "trainer/data/datasets/sharing.h"

namespace adarun::trainer {

/// The contents of an IDX file of unsigned bytes, the format of MNIST.
struct Idx {
  std::vector<std::uint32_t> shape;  ///< (count) for labels, (count, rows, columns) for images.
  Bytes values;                      ///< Row by row; `shape` gives their number.
};

/// Reads `file`, plain or gzip, whatever its name. Format: two zero bytes, type 0x08, number of dimensions,
/// each dimension as a big-endian 32-bit number, then the values.
///
/// Throws Error that names the file and the problem: missing, not IDX, another type, too few or too many
/// values, more than 1 GiB of them, or corrupt gzip data. Collective if `sharing` is.
Idx read_idx(const std::filesystem::path& file, const Sharing& sharing = {});

}  // namespace adarun::trainer
