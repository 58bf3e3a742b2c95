// SPDX-License-Identifier: Apache-2.0
#include "launcher/stage/stage_list.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/system_text.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

enum class Links { followed, kept };

// A parsed value of --stage. "FILE:DEST" is split unless a file of that whole name exists.
struct StageRequest {
  fs::path file;
  fs::path place;
};

StageRequest parse(const std::string& text) {
  std::error_code none;
  const std::size_t colon = text.rfind(':');
  const bool has_place = colon != std::string::npos && !fs::exists(text, none);
  StageRequest request{has_place ? text.substr(0, colon) : text, has_place ? text.substr(colon + 1) : text};
  if (request.file.empty() || request.place.empty())
    throw Error("--stage " + text + ": wanted FILE or FILE:DEST");
  if (!request.file.has_filename()) request.file = request.file.parent_path();  // "folder/"
  if (has_place && !request.place.has_filename()) request.place /= request.file.filename();
  request.place = request.place.lexically_normal();
  if (!request.place.has_filename()) request.place = request.place.parent_path();
  return request;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw Error("--stage " + file.string() + ": " + why);
}

void add(StageList& list, const fs::path& file, const fs::path& place, Links links) {
  struct stat facts {};
  const int result = links == Links::followed ? ::stat(file.c_str(), &facts) : ::lstat(file.c_str(), &facts);
  if (result != 0) refuse(file, base::system_text(errno));
  StageSource& source = list.emplace_back();
  source.file = file;
  source.changed_ns = facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec;
  source.item.path = place;
  source.item.mode = facts.st_mode & ACCESSPERMS;
  if (S_ISREG(facts.st_mode)) {
    source.item.size = static_cast<std::uint64_t>(facts.st_size);
  } else if (S_ISLNK(facts.st_mode)) {
    source.item.kind = protocol::StageKind::link;
    source.item.target = fs::read_symlink(file);
  } else if (S_ISDIR(facts.st_mode)) {
    source.item.kind = protocol::StageKind::folder;
    std::vector<fs::path> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(file))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    for (const fs::path& name : names) add(list, file / name, place / name, Links::kept);
  } else {
    refuse(file, "is no file, folder or symbolic link");
  }
}

}  // namespace

StageList read_stage_list(const std::vector<std::string>& texts) {
  StageList list;
  try {
    for (const std::string& text : texts) {
      const StageRequest request = parse(text);
      add(list, request.file, request.place, Links::followed);
    }
  } catch (const fs::filesystem_error& error) {
    refuse(error.path1(), error.code().message());
  }
  std::set<std::string> places;
  for (const StageSource& source : list)
    if (!places.insert(source.item.path).second && source.item.kind != protocol::StageKind::folder)
      refuse(source.file, "a second one for " + source.item.path);
  return list;
}

std::uint64_t bytes_of(const StageList& list) {
  std::uint64_t bytes = 0;
  for (const StageSource& source : list) bytes += source.item.size;
  return bytes;
}

}  // namespace adarun::launcher
