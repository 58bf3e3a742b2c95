// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <vector>

#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/record/log_folder.h"

namespace adarun::launcher {
namespace {

constexpr std::streamoff tail_bytes = 64 << 10;
constexpr std::size_t block_bytes = 64U << 10U;

}  // namespace

base::FileDescriptor create_file(const std::filesystem::path& file, mode_t mode) {
  base::FileDescriptor fd(open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!fd) throw Error(file.string() + ": cannot write this file: " + base::system_text(errno));
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

void replace_file(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::path fresh = file;
  fresh += ".new";
  try {
    write_all(create_file(fresh, shared_mode).get(), content, fresh);
    if (std::rename(fresh.c_str(), file.c_str()) != 0)
      throw Error(file.string() + ": cannot replace this file: " + base::system_text(errno));
  } catch (const Error&) {
    ::unlink(fresh.c_str());
    throw;
  }
}

void set_file(const std::filesystem::path& file, std::string_view content) {
  try {
    replace_file(file, content);
  } catch (const Error&) {
    const base::FileDescriptor old(open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!old) throw;
    write_all(old.get(), content, file);
    if (ftruncate(old.get(), static_cast<off_t>(content.size())) != 0)
      throw Error(file.string() + ": cannot cut this file: " + base::system_text(errno));
  }
}

std::vector<std::string> last_lines(const std::filesystem::path& file, std::size_t count) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const std::streamoff size = in.tellg();
  in.seekg(std::max<std::streamoff>(0, size - tail_bytes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

}  // namespace adarun::launcher
