// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/choice.h"
#include "cli/ranktable.h"
#include "ranktable/error.h"
#include "ranktable/parse.h"
#include "ranktable/validate.h"

namespace adarun::cli {
namespace {

using Json = nlohmann::ordered_json;
using ranktable::Finding;
using ranktable::Generation;
using ranktable::Profile;
using ranktable::Severity;

constexpr const char* examples = R"(
Reports everything that is wrong, with its JSON path and HCCL's error code.

Examples:
  adarun ranktable validate hccl_2s_16p.json
  adarun ranktable validate --profile hccl --generation 910 hccl_*.json
  adarun ranktable validate --profile adasum --json hccl_2s_16p.json

Exit status: 0 all valid, 1 one is not, 2 wrong usage, 3 a file cannot be read.)";

struct Options {
  std::vector<std::string> files;
  ranktable::ValidateOptions rules;
  bool json = false;
  bool quiet = false;
};

// What is known of one file.
struct Checked {
  std::string file;
  ranktable::Report report;
  std::string error;  ///< Why it could not be read; empty where it could.

  bool is_read() const { return error.empty(); }
  bool is_valid() const { return is_read() && ranktable::is_valid(report.findings); }
  auto count(Severity severity) const {
    return std::count_if(report.findings.begin(), report.findings.end(),
                         [severity](const Finding& finding) { return finding.severity == severity; });
  }
};

Checked check(const std::string& file, const ranktable::ValidateOptions& rules) {
  try {
    return {file, ranktable::validate_text(ranktable::read_text(file), file, rules), ""};
  } catch (const ranktable::Error& error) {
    return {file, {}, error.what()};
  }
}

std::string counted(std::ptrdiff_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string as_text(const Checked& checked, bool quiet) {
  std::string text;
  for (const Finding& finding : checked.report.findings)
    if (!quiet || finding.severity == Severity::error)
      text += checked.file + ": " + name(finding.severity) + ": " + describe(finding) + "\n";
  if (quiet) return text;
  const ranktable::AnyTable& table = checked.report.table;
  text += checked.file + ": ";
  if (checked.is_valid())
    return text + "valid, " + counted(static_cast<std::ptrdiff_t>(server_count(table)), "server") + ", " +
           counted(static_cast<std::ptrdiff_t>(device_count(table)), "device") + "\n";
  return text + "not valid, " + counted(checked.count(Severity::error), "error") + ", " +
         counted(checked.count(Severity::warning), "warning") + "\n";
}

Json as_json(const Checked& checked) {
  if (!checked.is_read()) return {{"file", checked.file}, {"valid", false}, {"error", checked.error}};
  Json findings = Json::array();
  for (const Finding& finding : checked.report.findings)
    findings.push_back({{"severity", name(finding.severity)},
                        {"path", finding.path},
                        {"rule", finding.rule},
                        {"code", finding.code},
                        {"found", finding.found}});
  return {{"file", checked.file},
          {"valid", checked.is_valid()},
          {"servers", server_count(checked.report.table)},
          {"devices", device_count(checked.report.table)},
          {"findings", findings}};
}

int run(const Options& options) {
  int status = exit_done;
  Json list = Json::array();
  for (const std::string& file : options.files) {
    const Checked checked = check(file, options.rules);
    if (!checked.is_read()) {
      std::fprintf(stderr, "adarun: %s\n", checked.error.c_str());
      status = exit_failed;
    } else if (!checked.is_valid() && status == exit_done) {
      status = exit_no;
    }
    if (options.json)
      list.push_back(as_json(checked));
    else if (checked.is_read())
      print_all(as_text(checked, options.quiet));
  }
  if (options.json) print_all(list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return status;
}

}  // namespace

void add_ranktable_validate(CLI::App& group, Invocation& invocation) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = group.add_subcommand("validate", "Check rank tables by the rules of HCCL");
  command->add_option("files", options->files, "Rank tables of version 1.0")->required()->type_name("FILE");
  add_choice<Profile>(*command, "--profile", options->rules.profile,
                      {{"hccl", Profile::hccl}, {"adasum", Profile::adasum}},
                      "hccl: HCCL must take it; adasum: its number of devices must suit AdaSum");
  add_choice<Generation>(*command, "--generation", options->rules.generation,
                         {{"910", Generation::ascend910},
                          {"a2", Generation::a2},
                          {"a3", Generation::a3},
                          {"950", Generation::ascend950}},
                         "Hold it to the rules of this generation (default: warn of those of each)");
  command->add_flag("--json", options->json, "Print a JSON array, one object per file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->footer(examples);
  command->callback([options, &invocation] { invocation.exit_status = run(*options); });
}

}  // namespace adarun::cli
