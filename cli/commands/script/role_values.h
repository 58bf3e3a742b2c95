// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "launcher/plan/job_options.h"
#include "templates/template.h"

namespace adarun::cli {

/// Adds to the values of a job what its ranks run: without roles the list `one_program`, of one empty member;
/// else the list `any_role`, likewise, and the list `roles`, with `role` and `program` of each. The text
/// `program` stays for the former only, so that a template that knows of no roles is refused.
void add_programs(templates::Values& values, const std::vector<launcher::Role>& roles);

/// Adds `role_variables` to each member of a list of ranks: "NAME=VALUE", as words of a shell with a blank
/// before each. Without roles there are none.
void add_role_variables(std::vector<templates::Values>& ranks, const std::vector<launcher::Role>& roles);

}  // namespace adarun::cli
