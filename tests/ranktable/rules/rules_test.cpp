// SPDX-License-Identifier: Apache-2.0
// Every rule: good tables of each schema pass, a table with one defect is refused at its place.
#include <gtest/gtest.h>

#include <iterator>

#include "ranktable/parse.h"
#include "ranktable/rules/rules.h"
#include "ranktable/write.h"
#include "tests/ranktable/rules/defects.h"

namespace adarun::ranktable {
namespace {

std::vector<std::string> lines(const std::vector<Wanted>& wanted) {
  Findings all;
  for (const auto& [severity, path, rule, found, code] : wanted)
    all.push_back({severity, path, rule, code, found});
  return lines(all);
}

std::vector<Defect> all_defects() {
  std::vector<Defect> all;
  for (auto* defects : {defects_of_1_0, defects_by_generation, defects_of_1_2, defects_of_cloud,
                        defects_of_lab, defects_of_2_0, defects_of_server_group}) {
    std::vector<Defect> some = defects();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

TEST(Rules, TakeFiveGoodTablesOfEachSchema) {
  const std::vector<AnyTable> tables = {
      cluster(1, 1),
      cluster(1, 8),
      cluster(2, 8),
      cluster(4, 4),
      cluster(64, 2),
      super_pods(1, 1, 8),
      super_pods(1, 2, 16),
      super_pods(2, 1, 2),
      super_pods(2, 2, 8),
      super_pods(3, 3, 4),
      cloud(1, 1),
      cloud(1, 8),
      cloud(2, 8),
      cloud(4, 4),
      cloud(9, 2),
      lab(1, 1),
      lab(1, 8),
      lab(2, 8),
      lab(4, 4),
      lab(12, 2),
      rank_list(1, 1),
      rank_list(1, 8),
      rank_list(2, 64),
      rank_list(4, 4),
      rank_list(12, 2),
      server_group(2, 1),
      server_group(2, 8),
      server_group(4, 4),
      server_group(8, 8),
      server_group(12, 2),
  };
  for (const AnyTable& table : tables)
    for (const Profile profile : {Profile::none, Profile::hccl}) {
      if (profile == Profile::hccl && schema_of(table) == Schema::server_group) continue;
      EXPECT_EQ(lines(validate_text(write(table), "t.json", {profile, std::nullopt}).findings),
                std::vector<std::string>{})
          << name(schema_of(table)) << ", " << device_count(table) << " devices";
    }
}

TEST(Rules, NamePlaceRuleAndCodeOfEachDefectAndHowToMendIt) {
  for (const Defect& defect : all_defects()) {
    const std::vector<Finding> findings = validate(defect.table, defect.options);
    EXPECT_EQ(lines(findings), lines(defect.findings));
    for (const Finding& finding : findings) EXPECT_FALSE(finding.mend.empty()) << describe(finding);
  }
}

// A wrong count exists only in the text and is never written: such tables are left out.
TEST(Rules, FindTheSameInTheTextOfATable) {
  std::size_t compared = 0;
  for (const Defect& defect : all_defects()) {
    const std::string text = write(defect.table);
    if (examine_any(text, "t.json").table != defect.table) continue;
    EXPECT_EQ(lines(validate_text(text, "t.json", defect.options).findings), lines(defect.findings));
    ++compared;
  }
  EXPECT_GT(compared, 70U);
}

std::string without_generation(const std::string& rule) {
  for (const std::string name : {"Ascend 910: ", "A2: ", "A3: ", "Ascend 950: "})
    if (rule.rfind(name, 0) == 0) return rule.substr(name.size());
  return rule;
}

// Whether an item of a list in `text` is the rule, with its code in the brackets behind it: none stands for
// EI0014, and warnings have no code.
bool documents(const std::string& text, const Finding& finding) {
  const std::string item = "\n- " + without_generation(finding.rule);
  std::size_t at = text.find(item + "\n");
  if (at == std::string::npos) at = text.find(item + " (");
  if (at == std::string::npos) return false;
  at += item.size();
  const std::string remark = text.substr(at, text.find('\n', at) - at);
  const auto says = [&](const std::string& word) { return remark.find(word) != std::string::npos; };
  const bool has_no_code = says("no code") || says("warning");
  if (finding.code.empty()) return has_no_code;
  return finding.code == "EI0014" ? !has_no_code && !says("EI") : says(finding.code);
}

TEST(Rules, AreAllInTheDocumentation) {
  const std::string text = read_text(RANKTABLE_DOCUMENTATION);
  for (const Defect& defect : all_defects())
    for (const Finding& finding : validate(defect.table, defect.options))
      EXPECT_TRUE(documents(text, finding)) << describe(finding);
}

TEST(AdasumRule, TakesPowersOfTwoFromSixteenOn) {
  for (const std::size_t count : {16, 32, 64, 1024, 65536}) EXPECT_FALSE(adasum_refusal(count)) << count;
}

TEST(AdasumRule, RefusesAllOthersInTheWordsThatUsersKnow) {
  for (const std::size_t count : {0, 1, 2, 4, 8, 12, 15, 17, 24, 48, 65535})
    EXPECT_EQ(adasum_refusal(count),
              "The device_num must be at least 16 and must be the power of 2 when applying adasum.")
        << count;
}

}  // namespace
}  // namespace adarun::ranktable
