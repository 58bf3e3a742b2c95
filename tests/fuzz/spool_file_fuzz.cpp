// SPDX-License-Identifier: Apache-2.0
// Any bytes as a spool file of an agent give its pieces, no more bytes than it has, or an Error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/spool.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"

namespace protocol = adarun::launcher::protocol;

FUZZ_TARGET(spool_file) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("spool", {reinterpret_cast<const char*>(data), size});
  try {
    protocol::KeptStream stream(path);
    demand(stream.found());
    std::size_t bytes = 0;
    while (const auto piece = stream.next()) bytes += piece->size();
    demand(bytes <= size);
  } catch (const protocol::Error& error) {
    demand(std::string_view(error.what()).starts_with(path));
  }
  return 0;
}
