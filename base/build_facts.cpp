// SPDX-License-Identifier: Apache-2.0
#include "base/build_facts.h"

#include <gnu/libc-version.h>

#include <algorithm>

#include "base/version.h"
#include "commit.h"

namespace adarun::base {
namespace {

// "Release, optimised, no assertions"
std::string kind_of_build() {
  const char* const type = ADARUN_BUILD_TYPE;
  std::string kind(type);
  if (!kind.empty()) kind += ", ";
#ifdef __OPTIMIZE__
  kind += "optimised";
#else
  kind += "not optimised";
#endif
#ifdef NDEBUG
  kind += ", no assertions";
#else
  kind += ", assertions";
#endif
  const char* const sanitizers = ADARUN_SANITIZERS;
  return *sanitizers == '\0' ? kind : kind + ", sanitizers " + sanitizers;
}

std::string c_library() {
  const std::string built = std::to_string(__GLIBC__) + "." + std::to_string(__GLIBC_MINOR__);
  return "glibc " + library_version(gnu_get_libc_version(), built) + (is_portable() ? ", static" : "");
}

}  // namespace

std::string library_version(const std::string& running, const std::string& built) {
  return running == built ? running : running + ", built with " + built;
}

std::vector<BuildFact> build_facts() {
  std::vector<BuildFact> facts;
  if (!commit.empty()) facts.push_back({"commit", std::string(commit)});
  facts.push_back({"compiler", ADARUN_COMPILER});
  facts.push_back({"build", kind_of_build()});
  facts.push_back({"C library", c_library()});
  facts.push_back({"processor", ADARUN_PROCESSOR});
  return facts;
}

const std::string& version() {
  static const std::string text = ADARUN_VERSION;
  return text;
}

bool is_portable() {
#ifdef ADARUN_PORTABLE
  return true;
#else
  return false;
#endif
}

std::string text(const std::string& program, const std::vector<BuildFact>& libraries) {
  std::vector<BuildFact> facts = build_facts();
  facts.insert(facts.end(), libraries.begin(), libraries.end());
  std::size_t width = 0;
  for (const BuildFact& fact : facts) width = std::max(width, fact.name.size());
  std::string lines = program + " " + version();
  for (const BuildFact& fact : facts)
    lines += "\n" + fact.name + std::string(width + 2 - fact.name.size(), ' ') + fact.value;
  return lines;
}

}  // namespace adarun::base
