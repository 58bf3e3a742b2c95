// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/command_reach.h"

#include <algorithm>
#include <array>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/transport/command/command_link.h"
#include "launcher/transport/command/remote_command.h"
#include "launcher/transport/reach/agent_source.h"
#include "launcher/transport/reach/upload_link.h"
#include "launcher/transport/ssh/ssh_reach.h"

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

CommandTarget target_of(const Host& host, const SshOptions& ssh) {
  return {host.name,
          host.user.empty() ? ssh.user : host.user,
          host.port == 0 ? ssh.port : host.port,
          ssh.identity,
          ssh.config_file,
          !ssh.host_key                      ? ""
          : *ssh.host_key == HostKey::strict ? "yes"
                                             : "accept-new"};
}

class CommandReach : public Reach {
 public:
  CommandReach(RemoteCommand command, const CommandPreset* preset)
      : command_(std::move(command)), preset_(preset) {}

  std::string name() const override { return command_.name; }

  std::string text(const ReachOptions& options) const override {
    return "by " + command_.words.front() + ", at most " + std::to_string(options.fanout) + " at once";
  }

  std::string text_of(const Host& host, const HostPlace& /*place*/,
                      const ReachOptions& options) const override {
    return "by " + launcher::text_of(command_, target_of(host, options.ssh));
  }

  bool has_hosts() const override { return preset_ != nullptr && preset_->hostlist != nullptr; }

  std::vector<Host> hosts(const ReachOptions& options) const override {
    std::string list = output_of(split_words(preset_->hostlist), options.connect_timeout);
    list.erase(list.find_last_not_of(" \n") + 1);
    return read_job_hosts({list, preset_->hostlist});
  }

  void require(const std::vector<Host>& hosts, const ReachOptions& options) const override {
    for (const Host& host : hosts) words_of(command_, target_of(host, options.ssh), {});
  }

  Targets locate(const std::vector<Host>& hosts, const ReachOptions& options,
                 Unknown /*unknown*/) const override {
    Targets targets = look_up(hosts, options);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (!targets.addresses[i].empty()) continue;
      targets.addresses[i] = hosts[i].name;
      targets.places[i] = {"", 0, hosts[i].name, "", {}, {}};
    }
    return targets;
  }

  std::vector<NodeLink> links(const std::vector<Host>& hosts, const Targets& /*targets*/,
                              const ReachOptions& options, const base::FileLimit& files) const override {
    const auto source = std::make_shared<const AgentSource>(agent_source(options.agent));
    const std::vector<std::string> agent = agent_command(*source);
    std::vector<NodeLink> links;
    for (const Host& host : hosts) {
      const auto link = [command = command_, target = target_of(host, options.ssh),
                         &files](const std::vector<std::string>& program) {
        return std::make_unique<CommandLink>(command, target, program, files);
      };
      links.push_back({host.name, std::make_unique<UploadLink>(link(agent), source), link});
    }
    return links;
  }

 private:
  // An SSH configuration may say more to OpenSSH than we follow: then names are looked up without it.
  Targets look_up(const std::vector<Host>& hosts, const ReachOptions& options) const {
    if (preset_ != nullptr && preset_->reads_ssh_config) try {
        return locate_without_ssh(hosts, options.ssh.config_file, options.connect_timeout, Unknown::kept);
      } catch (const Error&) {
      }
    return locate_without_ssh(hosts, no_ssh_config, options.connect_timeout, Unknown::kept);
  }

  RemoteCommand command_;
  const CommandPreset* preset_;
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

std::shared_ptr<const Reach> command_reach(RemoteCommand command, const CommandPreset* preset) {
  return std::make_shared<const CommandReach>(std::move(command), preset);
}

}  // namespace adarun::launcher
