// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/arguments/placement.h"
#include "cli/commands/script/script_values.h"
#include "templates/template.h"

namespace CLI {
class App;
}

namespace adarun::cli {

// Manifests for Kubernetes: their options, template and values.

void add_k8s(CLI::App& command, ScriptJob& job);

/// An Indexed Job or a JobSet on nodes that Kubernetes chooses; else a Job for each node of the table.
const char* template_of_k8s(const ScriptJob& job);

/// The pods' names, if Kubernetes chooses the nodes; else empty.
std::string hosts_of_k8s(const ScriptJob& job);

void complete_k8s(templates::Values& values, const launcher::Placement& placement, const ScriptJob& job);

}  // namespace adarun::cli
