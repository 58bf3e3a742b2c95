// SPDX-License-Identifier: Apache-2.0
#include "base/random_digits.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/file_descriptor.h"

namespace adarun::base {

std::string random_digits() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  ssize_t size = ::getrandom(bytes.data(), bytes.size(), 0);
  if (size < 0 && errno == ENOSYS) {  // Linux before 3.17.
    const FileDescriptor source(::open("/dev/urandom", O_RDONLY | O_CLOEXEC));
    size = ::read(source.get(), bytes.data(), bytes.size());
  }
  if (size != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "random bytes");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace adarun::base
