// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/arguments/placement.h"
#include "cli/commands/script/script_values.h"
#include "templates/template.h"

namespace adarun::cli {

/// Pods of one Indexed Job: those of a role in a JobSet, else all.
struct PodGroup {
  std::string name;
  std::size_t pods = 0;
  std::size_t first_node = 0;  ///< Number of its first pod among those of all groups.
  std::string image;

  bool operator==(const PodGroup&) const = default;
};

/// The groups of a job on pods (`job.node_count` of them), in the order of their ranks. Throws ExitError for
/// names that Kubernetes would refuse, for roles that are not whole pods of a JobSet, and for images of roles
/// that are not there.
std::vector<PodGroup> pod_groups(const ScriptJob& job);

/// The names that all pods have for one another, as a list for --hosts: those that Kubernetes gives the pods
/// of an Indexed Job behind a headless Service, "run-[0-1].run:8"; JobSet's are "set-role-0-[0-1].set:8".
std::string hosts_of_pods(const ScriptJob& job);

/// What is wrong with the text of an --image or a --resource, for CLI11's check(); empty: nothing.
std::string check_image(const std::string& text);
std::string check_resource(const std::string& text);

// Manifests for Kubernetes: their options, template and values.

void add_k8s(CLI::App& command, ScriptJob& job);

/// An Indexed Job or a JobSet on nodes that Kubernetes chooses; else a Job for each node of the table.
const char* template_of_k8s(const ScriptJob& job);

/// The pods' names, if Kubernetes chooses the nodes; else empty.
std::string hosts_of_k8s(const ScriptJob& job);

void complete_k8s(templates::Values& values, const launcher::Placement& placement, const ScriptJob& job);

}  // namespace adarun::cli
