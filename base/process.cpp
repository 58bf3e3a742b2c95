// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

namespace adarun::base {

std::uint64_t start_ticks(pid_t pid) {
  constexpr int fields_before = 18;  // Between the state and the start time.
  std::string text;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), text, '\0');
  const std::size_t name_end = text.rfind(')');  // The name may contain ")" and blanks.
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  rest >> state;
  if (state == 'Z' || state == 'X') return 0;
  std::string skipped;
  for (int i = 0; i < fields_before; ++i) rest >> skipped;
  std::uint64_t ticks = 0;
  rest >> ticks;
  return ticks;
}

bool is_hidden(pid_t pid) {
  const bool exists = ::kill(pid, 0) == 0 || errno == EPERM;
  return exists && ::access(("/proc/" + std::to_string(pid) + "/stat").c_str(), R_OK) != 0;
}

}  // namespace adarun::base
