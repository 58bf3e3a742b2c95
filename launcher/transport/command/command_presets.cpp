// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/command_presets.h"

#include <algorithm>
#include <array>

namespace adarun::launcher {
namespace {

// pbs: the id of an array, 7[1].server, is quoted for the shell. pbs_tmrsh passes on neither stdin nor
// stdout; pbs_attach makes what sshd runs a part of the job. flux: `flux exec` prints bytes up to the first
// NUL alone, `flux run` all of them. It asks for one core and binds nothing, so that ranks have the whole
// node, and a second one can run beside it to bridge a cut.
constexpr std::array presets{
    CommandPreset{"kubectl", "kubectl exec -i {host} --", "pods of Kubernetes"},
    CommandPreset{"docker", "docker exec -i {host}", "containers of this machine's Docker"},
    CommandPreset{"podman", "podman exec -i {host}", "containers of this machine's Podman"},
    CommandPreset{
        "openssh",
        "ssh -T -oBatchMode=yes -F{ssh-config} -i{identity} -oStrictHostKeyChecking={host-key} -l{user} "
        "-p{port} -- {host} exec {command}",
        "hosts, by OpenSSH's own client", nullptr, nullptr, nullptr, true},
    CommandPreset{"pbs", "ssh -T -oBatchMode=yes -- {host} exec pbs_attach -j \\'{PBS_JOBID}\\' {command}",
                  "hosts of the PBS job that this is part of", "PBS_NODEFILE", pbs_hosts},
    CommandPreset{"lsf", "blaunch {host} -no-shell", "hosts of the LSF job that this is part of", "LSB_JOBID",
                  lsf_hosts},
    CommandPreset{
        "flux",
        "flux run -N1 -n1 --unbuffered -o cpu-affinity=off -o gpu-affinity=off --requires=host:{host}",
        "hosts of the Flux instance that this is part of", "FLUX_URI", nullptr, "flux hostlist local"},
};

}  // namespace

std::span<const CommandPreset> command_presets() {
  return presets;
}

const CommandPreset* command_preset(std::string_view name) {
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [name](const CommandPreset& each) { return name == each.name; });
  return found == presets.end() ? nullptr : &*found;
}

std::string presets_text() {
  std::string text;
  for (const CommandPreset& preset : presets)
    text += std::string(preset.name) + ": " + preset.reach + "\n    exec:" + preset.line + "\n";
  return text;
}

}  // namespace adarun::launcher
