// SPDX-License-Identifier: Apache-2.0
#include "cli/console/written_file.h"

#include <cstdio>

#include "base/clean_text.h"

namespace adarun::cli {

void say_written(const std::string& file) {
  if (file == "-") return;
  std::fflush(stdout);  // What was printed before the file stands before this line.
  std::fprintf(stderr, "adarun: wrote %s\n", base::clean_line(file).c_str());
}

}  // namespace adarun::cli
