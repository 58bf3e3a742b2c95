// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/build_facts.h"
#include "base/version.h"
#include "cli/commands/commands.h"
#include "cli/commands/train.h"
#include "cli/console/print.h"
#include "launcher/transport/reach/agent_source.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* version_help = R"(
Examples:
  adarun version                                   what to add to a bug report
  adarun version --json | jq -r .version           0.2.0
  adarun version --json | jq .features.agents      machines whose agents this adarun can bring to a node)";

// "C library" as "c_library".
std::string key_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char byte) {
    return byte == ' ' ? '_' : static_cast<char>(std::tolower(byte));
  });
  return name;
}

// What this adarun can do and others of its version cannot.
ordered_json features() {
  ordered_json agents = ordered_json::array();
  for (const launcher::AgentBuild& build : launcher::own_agents())
    if (std::find(agents.begin(), agents.end(), build.machine) == agents.end())
      agents.push_back(build.machine);
  bool has_trainer = false;
  try {
    has_trainer = access(trainer_program("").c_str(), X_OK) == 0;
  } catch (const std::runtime_error&) {  // /proc is not mounted: nothing is known of what lies beside it.
  }
  return {{"portable", base::is_portable()}, {"agents", agents}, {"trainer", has_trainer}};
}

std::string version_json() {
  ordered_json json{{"version", base::version()}};
  std::vector<base::BuildFact> facts = base::build_facts();
  facts.push_back(launcher::ssh_library());
  for (const base::BuildFact& fact : facts) json[key_of(fact.name)] = fact.value;
  json["features"] = features();
  return json.dump(2) + "\n";
}

}  // namespace

void add_version(CLI::App& app, Invocation&) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("version", "Say which build of adarun this is");
  command->add_flag("--json", *json, "Print it as JSON");
  command->footer(version_help);
  command->callback(
      [json] { print_all(*json ? version_json() : base::text("adarun", {launcher::ssh_library()}) + "\n"); });
}

}  // namespace adarun::cli
