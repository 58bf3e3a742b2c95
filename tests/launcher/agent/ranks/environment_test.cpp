// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/environment.h"

#include <gtest/gtest.h>

namespace adarun::launcher::agent {
namespace {

TEST(Environment, LeavesOutWhatOtherLaunchersMeantForTheirOwn) {
  const std::vector<const char*> variables{"HOME=/root",
                                           "PMIX_RANK=1",
                                           "PMI_FD=3",
                                           "OMPI_COMM_WORLD_SIZE=4",
                                           "OMPI_COMMAND=train",
                                           "OMPI_FIRST_RANKS=0",
                                           "OMPI_MCA_initial_wdir=/x",
                                           "OMPI_MCA_orte_x=1",
                                           "OMPI_MCA_btl=self",
                                           "SLURM_PROCID=0",
                                           "SLURM_STEP_ID=0",
                                           "SLURM_JOB_ID=9",
                                           "SLURM_STEPID=1",
                                           "PMIXED=no",
                                           "SLURM_GTIDS=0",
                                           nullptr};
  EXPECT_EQ(Environment::inherited(variables.data()).assignments(),
            (std::vector<std::string>{"HOME=/root", "OMPI_MCA_btl=self", "PMIXED=no", "SLURM_JOB_ID=9"}));
}

TEST(Environment, KeepsTheLastValueOfAName) {
  Environment environment;
  for (const char* assignment : {"A=1", "B=x=y", "A=2", "C=", "no value", "=nameless"})
    environment.set(assignment);
  EXPECT_EQ(environment.assignments(), (std::vector<std::string>{"A=2", "B=x=y", "C="}));
  EXPECT_EQ(*environment.find("B"), "x=y");
  EXPECT_EQ(environment.find("D"), nullptr);
  environment.set_default("C=1");
  environment.set_default("D=1");
  EXPECT_EQ(*environment.find("C"), "");
  EXPECT_EQ(*environment.find("D"), "1");
}

TEST(Environment, HasNoOtherTableBesideThatOfSeveralGroups) {
  const std::array<const char*, 3> variables{"A=1", "RANK_TABLE_FILE=/mine.json", nullptr};
  const Environment mine = Environment::inherited(variables.data());
  Environment environment = mine;
  environment.set_of_rank({"A=2"});
  EXPECT_EQ(environment.assignments(), (std::vector<std::string>{"A=2", "RANK_TABLE_FILE=/mine.json"}));
  environment.set_of_rank({"GLOBAL_RANK_TABLE_FILE_PATH=/t"});
  EXPECT_EQ(environment.assignments(), (std::vector<std::string>{"A=2", "GLOBAL_RANK_TABLE_FILE_PATH=/t"}));
  environment = mine;
  environment.set_of_rank({"GLOBAL_RANK_TABLE_FILE_PATH=/t", "RANK_TABLE_FILE=/wanted"});
  EXPECT_EQ(*environment.find("RANK_TABLE_FILE"), "/wanted");
}

}  // namespace
}  // namespace adarun::launcher::agent
