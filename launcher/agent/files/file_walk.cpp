// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/file_walk.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/path_parts.h"
#include "base/system_text.h"

namespace adarun::launcher::agent {
namespace {

// At most this many left-out paths are reported.
constexpr std::size_t most_left_out = 100;
constexpr std::int64_t ns_per_s = 1'000'000'000;

bool has_wildcard(const std::string& part) {
  return part.find_first_of("*?[\\") != std::string::npos;
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() || folder == "/" ? folder + name : folder + '/' + name;
}

protocol::FoundFile file_of(const std::string& path, const struct stat& facts) {
  return {path, static_cast<std::uint64_t>(facts.st_size),
          facts.st_mtim.tv_sec * ns_per_s + facts.st_mtim.tv_nsec, facts.st_ino, facts.st_mode & ACCESSPERMS};
}

}  // namespace

FileWalk::FileWalk(const protocol::Find& find) : most_files_(find.most_files) {
  for (const std::string& pattern : find.patterns) {
    places_.push_back({pattern.starts_with('/') ? "/" : "", patterns_.size(), 0, false});
    patterns_.push_back(base::path_parts(pattern));
  }
}

bool FileWalk::advance() {
  if (!found_.refusal.empty() || (!folder_ && places_.empty())) return false;
  if (folder_) {
    read_on();
    return true;
  }
  Place place = std::move(places_.back());
  places_.pop_back();
  const auto& parts = patterns_[place.pattern];
  if (!place.is_inside && place.part == parts.size()) {
    look_at(place);
  } else if (!place.is_inside && !has_wildcard(parts[place.part])) {
    places_.push_back({below(place.path, parts[place.part]), place.pattern, place.part + 1, false});
  } else {
    open(std::move(place));
  }
  return true;
}

protocol::FileListing FileWalk::take() {
  const auto by_path = [](const auto& one, const auto& other) { return one.path < other.path; };
  if (!found_.refusal.empty()) found_.files.clear();
  std::sort(found_.files.begin(), found_.files.end(), by_path);
  std::sort(found_.left_out.begin(), found_.left_out.end());
  return std::move(found_);
}

void FileWalk::look_at(const Place& place) {
  struct stat facts {};
  if (::lstat(place.path.empty() ? "." : place.path.c_str(), &facts) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) leave_out(place.path, base::system_text(errno));
  } else if (S_ISDIR(facts.st_mode)) {
    places_.push_back({place.path, place.pattern, place.part, true});
  } else if (S_ISLNK(facts.st_mode)) {
    leave_out(place.path, "a symbolic link");
  } else if (!S_ISREG(facts.st_mode)) {
    leave_out(place.path, "no regular file");
  } else if (seen_.insert(place.path).second) {
    found_.files.push_back(file_of(place.path, facts));
    if (found_.files.size() > most_files_)
      found_.refusal = "more than " + std::to_string(most_files_) + " files match";
  }
}

void FileWalk::open(Place place) {
  const std::string path = place.path.empty() ? "." : place.path;
  base::Directory stream(::opendir(path.c_str()));
  if (stream)
    folder_ = OpenFolder{std::move(place), std::move(stream)};
  else if (errno != ENOENT && errno != ENOTDIR)
    leave_out(path, base::system_text(errno));
}

void FileWalk::read_on() {
  for (int i = 0; i < names_per_step && found_.refusal.empty(); ++i) {
    const dirent* entry = ::readdir(folder_->stream.get());
    if (entry == nullptr) return folder_.reset();
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++names_ > most_names)
      found_.refusal = "more than " + std::to_string(most_names) + " names to look at";
    else
      meet(folder_->place, name);
  }
}

void FileWalk::meet(const Place& place, const std::string& name) {
  const auto& parts = patterns_[place.pattern];
  const std::string path = below(place.path, name);
  if (place.is_inside) return look_at({path, place.pattern, place.part, false});
  if (::fnmatch(parts[place.part].c_str(), name.c_str(), FNM_PERIOD) != 0) return;
  if (place.part + 1 == parts.size()) return look_at({path, place.pattern, place.part + 1, false});
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return;
  if (::lstat(path.c_str(), &facts) != 0) return;
  if (S_ISLNK(facts.st_mode)) return leave_out(path, "a symbolic link");
  if (S_ISDIR(facts.st_mode)) places_.push_back({path, place.pattern, place.part + 1, false});
}

void FileWalk::leave_out(const std::string& path, const std::string& why) {
  if (found_.left_out.size() < most_left_out) found_.left_out.push_back(path + ": " + why);
}

}  // namespace adarun::launcher::agent
