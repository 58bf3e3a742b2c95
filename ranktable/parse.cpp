// SPDX-License-Identifier: Apache-2.0
#include "ranktable/parse.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "ranktable/error.h"
#include "ranktable/json/json_text.h"
#include "ranktable/schema/parse_v1.h"

namespace adarun::ranktable {
namespace {

constexpr std::array<std::string_view, 3> later_versions{"1.1", "1.2", "2.0"};

Examined nothing(Finding finding) {
  return {{}, {std::move(finding)}};
}

// What is wrong with the version, if anything. Throws where the table is one of another schema.
std::optional<Finding> version_finding(const Json& root, const std::string& name) {
  const Json* version = root.find("version");
  if (version == nullptr) {
    if (root.find("group_list") != nullptr)
      throw Error(name + ": a group_list table (" + (root.find("deploy_mode") != nullptr ? "lab" : "cloud") +
                  "), wanted a table of version 1.0: adarun ranktable convert --to 1.0");
    return Finding{Severity::error, "$.version", "must be there", "EI0017", ""};
  }
  for (const std::string_view later : later_versions)
    if (version->is_text(later))
      throw Error(name + ": $.version: found " + shown(*version) + ", which this release does not read, " +
                  "wanted \"1.0\"");
  if (version->is_text("1.0")) return std::nullopt;
  return Finding{Severity::error, "$.version", "must be \"1.0\"", "EI0014", shown(*version)};
}

}  // namespace

Examined examine(std::string_view text, const std::string& name) {
  Json root;
  try {
    root = parse_json(text);
  } catch (const Error& error) {
    return nothing({Severity::error, "$", "must be JSON", "EI0004", error.what()});
  }
  if (!root.is(Json::Kind::object))
    return nothing({Severity::error, "$", "must be an object", "EI0004", shown(root)});
  if (std::optional<Finding> finding = version_finding(root, name)) return nothing(*finding);
  return examine_v1(root);
}

Table parse(std::string_view text, const std::string& name) {
  Examined examined = examine(text, name);
  const std::size_t count = examined.findings.size();
  if (count == 0) return std::move(examined.table);
  std::string message = name + ": " + describe(examined.findings.front());
  if (count > 1) message += " (and " + std::to_string(count - 1) + " more)";
  throw Error(message);
}

std::string read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(path.string() + ": is a directory, wanted a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path.string() + ": " + std::strerror(errno));
  std::string text;
  std::string block(std::size_t{64} * 1024, '\0');
  while (text.size() <= max_text_bytes && (file.read(block.data(), block.size()) || file.gcount() > 0))
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw Error(path.string() + ": cannot be read");
  if (text.size() > max_text_bytes)
    throw Error(path.string() + ": larger than 40 MiB, which is the most that HCCL reads [EI0004]");
  return text;
}

Table read(const std::filesystem::path& path) {
  return parse(read_text(path), path.string());
}

}  // namespace adarun::ranktable
