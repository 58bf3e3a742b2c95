// SPDX-License-Identifier: Apache-2.0
#include "templates/built_in.h"

#include <gtest/gtest.h>

#include "templates/template.h"

namespace adarun::templates {
namespace {

TEST(BuiltIn, TemplatesAreWellFormed) {
  for (const char* name : {"hostfile", "job.yaml", "msrun.sh", "rankfile", "run_node.sh", "sbatch.sh"}) {
    EXPECT_FALSE(built_in(name).empty()) << name;
    EXPECT_NO_THROW(Template(name, built_in(name))) << name;
  }
}

}  // namespace
}  // namespace adarun::templates
