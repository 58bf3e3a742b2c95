// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/web/run_registry.h"

namespace adarun::monitor::web {

/// All open runs in Prometheus' text format (version 0.0.4): loss over the ranks and of each rank, steps,
/// step times, throughput, accuracy, findings by kind. The label `run` is the job's id.
std::string prometheus_text(const RunRegistry& registry);

}  // namespace adarun::monitor::web
