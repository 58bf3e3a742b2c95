// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/finding_text.h"

#include "monitor/view/text.h"

namespace adarun::monitor {

std::string finding_text(const Finding& finding, const NodeOf& node_of) {
  std::string text;
  if (finding.rank) {
    const std::string node = node_of ? node_of(*finding.rank) : std::string();
    text = "rank " + std::to_string(*finding.rank) + (node.empty() ? "" : " on " + node) + ", ";
  }
  return text + "epoch " + std::to_string(finding.epoch) + " step " + std::to_string(finding.step) + ": " +
         finding.evidence + (finding.time_ms == 0 ? "" : " (" + clock_text(finding.time_ms) + ")");
}

}  // namespace adarun::monitor
