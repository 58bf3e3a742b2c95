// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/new_file.h"
#include "base/system_text.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace fs = std::filesystem;

void replace_durably(const fs::path& file, const std::vector<std::span<const std::byte>>& bytes) {
  constexpr mode_t readable = 0644;
  const fs::path parent = file.has_parent_path() ? file.parent_path() : ".";
  const base::FileDescriptor folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto fail = [&file] {
    throw Error(file.string() + ": cannot be written: " + base::system_text(errno));
  };
  if (!folder) fail();
  base::NewFile output(folder.get(), file.filename(), readable);
  if (!output) fail();
  for (const std::span<const std::byte> part : bytes)
    if (!output.write({reinterpret_cast<const char*>(part.data()), part.size()})) fail();
  if (::fsync(output.fd()) != 0 || !output.put_in_place()) fail();
  ::fsync(folder.get());  // The name, too.
}

}  // namespace adarun::trainer
