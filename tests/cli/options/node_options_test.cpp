// SPDX-License-Identifier: Apache-2.0
#include "cli/options/node_options.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/options/command.h"
#include "tests/cli/options/refusal_of.h"

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;
using launcher::HostKey;

std::string refusal_of_nodes(NodeOptions& options, const std::vector<std::string>& words) {
  return refusal_of(
      [&options](CLI::App& app) {
        add_host_list(app, options);
        add_node_options(app, options);
      },
      words);
}

// The names of the hosts of --hosts and --exclude.
std::vector<std::string> host_names(const std::string& hosts, const std::string& exclude = "") {
  NodeOptions options;
  options.hosts = hosts;
  options.exclude = exclude;
  std::vector<std::string> names;
  for (const launcher::Host& host : hosts_in(options)) names.push_back(host.name);
  return names;
}

TEST(NodeOptions, HaveTheDefaultsOfTheManual) {
  NodeOptions options;
  EXPECT_EQ(refusal_of_nodes(options, {}), "");
  EXPECT_EQ(options.via, Via::ssh);
  EXPECT_EQ(options.connect_timeout, 20s);
  EXPECT_EQ(options.fanout, 64);
  EXPECT_EQ(options.ssh.port, 0) << "what the ssh configuration says";
  EXPECT_EQ(options.ssh.host_key, std::nullopt);
  EXPECT_FALSE(has_hosts(options));
}

TEST(NodeOptions, AreTakenTogether) {
  NodeOptions options;
  EXPECT_EQ(refusal_of_nodes(options, {"-H",           "node[1-2]:8", "-x",
                                       "node2",        "--via",       "slurm",
                                       "--agent",      "bin/agent",   "--connect-timeout",
                                       "500ms",        "--fanout",    "1",
                                       "--ssh-config", "config",      "--identity",
                                       "key",          "--user",      "ada",
                                       "--port",       "2222",        "--host-key",
                                       "accept-new"}),
            "");
  EXPECT_EQ(options.hosts, "node[1-2]:8");
  EXPECT_EQ(options.exclude, "node2");
  EXPECT_EQ(options.via, Via::slurm);
  EXPECT_EQ(options.agent, "bin/agent");
  EXPECT_EQ(options.connect_timeout, 500ms);
  EXPECT_EQ(options.fanout, 1);
  EXPECT_EQ(options.ssh.config_file, "config");
  EXPECT_EQ(options.ssh.identity, "key");
  EXPECT_EQ(options.ssh.user, "ada");
  EXPECT_EQ(options.ssh.port, 2222);
  EXPECT_EQ(options.ssh.host_key, HostKey::accept_new);
}

TEST(NodeOptions, AreRefusedWithWhatIsWanted) {
  const struct {
    std::vector<std::string> words;
    const char* said;
  } cases[] = {
      {{"--via", "mpi"},
       "--via: \"mpi\": wanted "
       "ssh|slurm|local|kubectl|docker|podman|openssh|pbs|lsf|flux|auto|exec:WORDS|help"},
      {{"--via", "exec:on there"},
       "--via: \"exec:on there\": {host} is nowhere in it: every node would be the same"},
      {{"--port", "0"}, "--port: \"0\": wanted a number from 1 to 65535"},
      {{"--fanout", "0"}, "--fanout: \"0\": wanted a number from 1 to 65536"},
      {{"--host-key", "no"}, "--host-key: \"no\": wanted strict|accept-new"},
      {{"--connect-timeout", "0"}, "--connect-timeout: \"0\": wanted a duration such as 10s, 2m or 1h30m"},
      {{"--exclude", "node1"}, "--exclude requires --hosts"},
  };
  for (const auto& each : cases) {
    NodeOptions options;
    EXPECT_EQ(refusal_of_nodes(options, each.words), each.said);
  }
}

TEST(HasHosts, IsTrueOfAListAndOfASlurmJob) {
  NodeOptions options;
  options.hosts = "node1";
  EXPECT_TRUE(has_hosts(options));
  options.hosts = "";
  options.via = Via::slurm;
  EXPECT_TRUE(has_hosts(options));
  options.via = Via::local;
  EXPECT_FALSE(has_hosts(options));
}

TEST(HostsIn, AreThoseOfTheListWithoutTheExcludedOnes) {
  EXPECT_EQ(host_names("node[1-3]:8,gpu9:4"), (std::vector<std::string>{"node1", "node2", "node3", "gpu9"}));
  EXPECT_EQ(host_names("node[1-3]:8", "node2"), (std::vector<std::string>{"node1", "node3"}));
}

TEST(HostsIn, AreWrongUsageWhereTheListIs) {
  for (const auto& [hosts, exclude] : std::vector<std::pair<std::string, std::string>>{
           {"node[1-", ""}, {"node1:0", ""}, {"node1,node1", ""}, {"node1", "node2"}, {"node1", "node1"}})
    try {
      host_names(hosts, exclude);
      ADD_FAILURE() << hosts << " without " << exclude;
    } catch (const Quit& quit) {
      EXPECT_EQ(quit.status(), exit_usage) << quit.what();
    }
}

TEST(Via, TakesACommandOrTheNameOfOne) {
  NodeOptions options;
  EXPECT_EQ(refusal_of_nodes(options, {"--via", "exec:on 'a b' {host}"}), "");
  EXPECT_EQ(options.via, Via::command);
  EXPECT_EQ(options.command, (launcher::RemoteCommand{"exec", {"on", "a b", "{host}"}}));
  EXPECT_EQ(refusal_of_nodes(options, {"--via", "docker"}), "");
  EXPECT_EQ(options.command, (launcher::RemoteCommand{"docker", {"docker", "exec", "-i", "{host}"}}));
  EXPECT_EQ(refusal_of_nodes(options, {"--via", "slurm"}), "");
  EXPECT_EQ(options.via, Via::slurm);
  EXPECT_EQ(options.command, launcher::RemoteCommand());
}

TEST(CommandTarget, HasWhatTheListSaysElseTheOptions) {
  NodeOptions options;
  options.ssh = {"config", "key", "ada", 2222, HostKey::accept_new};
  const launcher::CommandTarget first = command_target({"a", {0}, "", 0}, options);
  EXPECT_EQ(first.user, "ada");
  EXPECT_EQ(first.port, 2222);
  EXPECT_EQ(first.identity, "key");
  EXPECT_EQ(first.ssh_config, "config");
  EXPECT_EQ(first.host_key, "accept-new");
  const launcher::CommandTarget second = command_target({"b", {0}, "eve", 22}, {});
  EXPECT_EQ(second.host, "b");
  EXPECT_EQ(second.user, "eve");
  EXPECT_EQ(second.port, 22);
  EXPECT_EQ(second.host_key, "");
}

TEST(HostsOfACommand, AreReachedByTheOthersByNameWhereTheNameIsNotKnownHere) {
  NodeOptions options;
  options.via = Via::command;
  options.command = {"exec", {"on", "{host}"}};
  const std::vector<launcher::Host> hosts{{"pod-0.invalid", {0}, "", 0}, {"127.0.0.9", {0}, "ada", 22}};
  const launcher::SshTargets targets = targets_of(hosts, options);
  EXPECT_EQ(targets.addresses, (std::vector<std::string>{"pod-0.invalid", "127.0.0.9"}));
  EXPECT_EQ(targets.places[0].reason, "");
  EXPECT_EQ(targets.places[1].port, 0) << "without SSH";
}

TEST(LocalHosts, AreAllThisMachine) {
  NodeOptions options;
  options.via = Via::local;
  const std::vector<launcher::Host> hosts{{"nowhere.invalid", {0}, "", 0}, {"b", {0}, "ada", 22}};
  EXPECT_EQ(targets_of(hosts, options).addresses, (std::vector<std::string>{"127.0.0.1", "127.0.0.1"}));
  const launcher::SshTargets each = locate_each(hosts, options);
  EXPECT_EQ(each.addresses, (std::vector<std::string>{"nowhere.invalid", "b"}));
  ASSERT_EQ(each.places.size(), 2U);
  EXPECT_EQ(each.places[1].address, "127.0.0.1");
  EXPECT_EQ(each.places[1].port, 0) << "without SSH";
}

TEST(AgentOf, LiesBesideThisProgramUnlessItIsNamed) {
  NodeOptions options;
  EXPECT_EQ(agent_of(options),
            std::filesystem::read_symlink("/proc/self/exe").parent_path() / "adarun-agent");
  options.agent = "my-agent";
  EXPECT_EQ(agent_of(options), "my-agent") << "looked up in PATH there";
  options.agent = "bin/my-agent";
  EXPECT_EQ(agent_of(options), std::filesystem::current_path() / "bin/my-agent");
}

}  // namespace
}  // namespace adarun::cli
