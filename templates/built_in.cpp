// SPDX-License-Identifier: Apache-2.0
#include "templates/built_in.h"

#include <cassert>
#include <utility>

#include "built_in_templates.h"

namespace adarun::templates {

std::string_view built_in(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> all[] = {
      {"flux.sh", text::flux_sh_in},
      {"hostfile", text::hostfile_in},
      {"indexed_job.yaml", text::indexed_job_yaml_in},
      {"job.yaml", text::job_yaml_in},
      {"jobset.yaml", text::jobset_yaml_in},
      {"lsf.sh", text::lsf_sh_in},
      {"msrun.sh", text::msrun_sh_in},
      {"pbs.sh", text::pbs_sh_in},
      {"rankfile", text::rankfile_in},
      {"run_node.sh", text::run_node_sh_in},
      {"sbatch.sh", text::sbatch_sh_in},
  };
  for (const auto& [known, content] : all)
    if (known == name) return content;
  assert(!"a template of this name");
  return {};
}

}  // namespace adarun::templates
