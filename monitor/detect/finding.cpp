// SPDX-License-Identifier: Apache-2.0
#include "monitor/detect/finding.h"

#include "monitor/base/text.h"

namespace adarun::monitor {

std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::not_finite:
      return "nan or inf";
    case Fault::gradient:
      return "gradient";
    case Fault::stopped:
      return "stopped";
    case Fault::straggler:
      return "straggler";
    case Fault::divergence:
      return "divergence";
    case Fault::same_data:
      return "same data";
    case Fault::spike:
      return "spike";
    case Fault::rise:
      return "rise";
    case Fault::plateau:
      return "plateau";
  }
  return {};
}

std::vector<RunFinding> findings(const Run& run) {
  std::vector<RunFinding> found;
  find_faults_of_ranks(run, found);
  find_faults_of_run(run, found);
  return found;
}

std::string finding_text(const RunFinding& finding, const NodeOf& node_of) {
  std::string text;
  if (finding.rank) {
    const std::string node = node_of ? node_of(*finding.rank) : std::string();
    text = "rank " + std::to_string(*finding.rank) + (node.empty() ? "" : " on " + node) + ", ";
  }
  return text + place_text(finding.epoch, finding.step) + ": " + finding.evidence +
         (finding.time_ms == 0 ? "" : " (" + clock_text(finding.time_ms) + ")");
}

}  // namespace adarun::monitor
