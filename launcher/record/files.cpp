// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/new_file.h"
#include "base/system_text.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t block_bytes = 64U << 10U;

void replace_by(base::NewFile& fresh, std::string_view content, const std::filesystem::path& file) {
  if (!fresh) throw Error(file.string() + ": cannot write this file: " + base::system_text(errno));
  if (!fresh.write(content)) throw Error(file.string() + ": cannot write: " + base::system_text(errno));
  if (!fresh.put_in_place())
    throw Error(file.string() + ": cannot replace this file: " + base::system_text(errno));
}

}  // namespace

base::OutputFolder open_output_folder(const std::filesystem::path& folder) {
  try {
    return base::OutputFolder(folder);
  } catch (const std::runtime_error& error) {
    throw Error(error.what());
  }
}

base::OutputFolder output_folder(base::FileDescriptor opened, const std::filesystem::path& path) {
  try {
    return {std::move(opened), path};
  } catch (const std::runtime_error& error) {
    throw Error(error.what());
  }
}

base::FileDescriptor create_file(const base::OutputFolder& folder, const std::string& name, mode_t mode) {
  base::FileDescriptor fd = base::create_file(folder.fd(), name, mode);
  if (!fd)
    throw Error((folder.path() / name).string() + ": cannot write this file: " + base::system_text(errno));
  return fd;
}

void write_all(int fd, std::string_view bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error(file.string() + ": cannot write: " + base::system_text(errno));
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::optional<std::string> read_regular_file(const std::filesystem::path& file, std::uint64_t most_bytes) {
  const base::FileDescriptor fd(
      open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!fd || fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  std::string text;
  std::vector<char> block(block_bytes);
  for (std::uint64_t size = static_cast<std::uint64_t>(facts.st_size); size <= most_bytes;
       size = text.size()) {
    const ssize_t got = ::read(fd.get(), block.data(), block.size());
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

void replace_file(const base::OutputFolder& folder, const std::string& name, std::string_view content) {
  base::NewFile fresh(folder.fd(), name, shared_mode);
  replace_by(fresh, content, folder.path() / name);
}

void replace_file(const std::filesystem::path& file, std::string_view content) {
  base::NewFile fresh(file, shared_mode);
  replace_by(fresh, content, file);
}

void set_file(const base::OutputFolder& folder, const std::string& name, std::string_view content) {
  try {
    replace_file(folder, name, content);
  } catch (const Error&) {
    const base::FileDescriptor old = folder.open_file(name, O_WRONLY);
    if (!old) throw;
    const std::filesystem::path file = folder.path() / name;
    write_all(old.get(), content, file);
    if (ftruncate(old.get(), static_cast<off_t>(content.size())) != 0)
      throw Error(file.string() + ": cannot cut this file: " + base::system_text(errno));
  }
}

}  // namespace adarun::launcher
