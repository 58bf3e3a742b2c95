// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/node_options.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/arguments/command.h"
#include "launcher/transport/local/local_reach.h"
#include "launcher/transport/slurm/slurm_reach.h"
#include "tests/cli/refusals.h"

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
  EXPECT_EQ(options.reach->name(), "ssh");
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
  EXPECT_EQ(options.reach->name(), "slurm");
  EXPECT_EQ(options.agent, std::filesystem::current_path() / "bin/agent");
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
  options.reach = launcher::slurm_reach();
  EXPECT_TRUE(has_hosts(options));
  options.reach = launcher::local_reach();
  EXPECT_FALSE(has_hosts(options));
}

TEST(HostsIn, AreThoseOfTheListWithoutTheExcludedOnes) {
  EXPECT_EQ(host_names("node[1-3]:8,gpu9:4"), (std::vector<std::string>{"node1", "node2", "node3", "gpu9"}));
  EXPECT_EQ(host_names("node[1-3]:8", "node2"), (std::vector<std::string>{"node1", "node3"}));
}

TEST(HostsIn, AreWrongUsageWhereTheListIs) {
  const std::pair<const char*, const char*> cases[] = {
      {"node[1-", ""}, {"node1:0", ""}, {"node1,node1", ""}, {"node1", "node2"}, {"node1", "node1"}};
  for (const auto& each : cases)
    EXPECT_NE(exit_message([&] { host_names(each.first, each.second); }), "")
        << each.first << " " << each.second;
}

TEST(Via, TakesACommandOrTheNameOfOne) {
  NodeOptions options;
  const auto said = [&options] { return options.reach->text_of({"a", {0}, "", 0}, {}, options); };
  EXPECT_EQ(refusal_of_nodes(options, {"--via", "exec:on 'a b' {host}"}), "");
  EXPECT_EQ(options.reach->name(), "exec");
  EXPECT_EQ(said(), "by on 'a b' a");
  EXPECT_EQ(refusal_of_nodes(options, {"--via", "docker"}), "");
  EXPECT_EQ(options.reach->name(), "docker");
  EXPECT_EQ(said(), "by docker exec -i a");
  EXPECT_EQ(refusal_of_nodes(options, {"--via", "slurm"}), "");
  EXPECT_EQ(options.reach->name(), "slurm");
  EXPECT_EQ(refusal_of_nodes(options, {"--via", "local"}), "");
  EXPECT_TRUE(options.reach->is_local());
}

TEST(Agent, IsLookedUpInPathThereUnlessItIsAPath) {
  NodeOptions options;
  EXPECT_EQ(refusal_of_nodes(options, {"--agent", "my-agent"}), "");
  EXPECT_EQ(options.agent, "my-agent");
}

TEST(PathOnNodes, IsSeenFromHere) {
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(path_on_nodes("."), here);
  EXPECT_EQ(path_on_nodes(""), here);
  EXPECT_EQ(path_on_nodes("./"), here);
  EXPECT_EQ(path_on_nodes("runs/a b/"), here / "runs/a b");
  EXPECT_EQ(path_on_nodes(".."), here.parent_path());
  EXPECT_EQ(path_on_nodes("../x/./y"), here.parent_path() / "x/y");
}

// `..` is kept: a folder of the path may be a link on the node.
TEST(PathOnNodes, StaysAsItIsWhereItIsAbsolute) {
  EXPECT_EQ(path_on_nodes("/data/link/../run"), "/data/link/../run");
  EXPECT_EQ(path_on_nodes("/"), "/");
}

TEST(ProgramOnNodes, IsLookedUpThereWhereItIsANameAlone) {
  EXPECT_EQ(program_on_nodes("adarun-agent"), "adarun-agent");
  EXPECT_EQ(program_on_nodes("./adarun-agent"), std::filesystem::current_path() / "adarun-agent");
}

TEST(SourcesOnNodes, KeepTheUsualOnes) {
  const launcher::CardSources usual = sources_on_nodes({});
  EXPECT_EQ(usual.hccn_conf + usual.hccn_tool, "");
  const launcher::CardSources given = sources_on_nodes({"hccn.conf", "tools/hccn_tool"});
  EXPECT_EQ(given.hccn_conf, std::filesystem::current_path() / "hccn.conf");
  EXPECT_EQ(given.hccn_tool, std::filesystem::current_path() / "tools/hccn_tool");
}

}  // namespace

}  // namespace adarun::cli
