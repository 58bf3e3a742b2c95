// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/home_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/path_parts.h"
#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_shown = 60;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

}  // namespace

HomeFolder::HomeFolder(std::filesystem::path path, std::size_t most_new_folders)
    : path_(std::move(path)), most_new_folders_(most_new_folders), folder_(open_output_folder(path_)) {
  if (flock(folder_.fd(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(path_.string() + ": another adarun is writing there");
}

HomePlace HomeFolder::place(const std::string& node, const std::string& path) {
  std::vector<std::string> parts = base::path_parts(path);
  if (parts.empty() || node.empty()) throw Error("\"" + path + "\": no name of a file");
  if (parts.size() > most_parts)
    throw Error("\"" + path.substr(0, most_shown) + "...\": a path of more than " +
                std::to_string(most_parts) + " parts; nothing is written for it");
  parts.insert(parts.begin(), node);
  HomePlace place{output_folder(base::FileDescriptor(openat(folder_.fd(), ".", folder_flags)), path_), "",
                  path_};
  for (const std::string& part : parts) {
    if (part == "." || part == ".." || part.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
      throw Error("\"" + path + "\": a path that leads elsewhere; nothing is written for it");
    if (!place.name.empty()) place.folder = enter(node, place);
    place.name = part;
    place.path /= part;
  }
  return place;
}

base::OutputFolder HomeFolder::enter(const std::string& node, const HomePlace& place) {
  const auto& [folder, name, path] = place;
  const bool is_there = faccessat(folder.fd(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there && ++new_folders_[node] > most_new_folders_)
    throw Error(path.string() + ": one folder too many; a node may make " +
                std::to_string(most_new_folders_));
  if (!is_there && mkdirat(folder.fd(), name.c_str(), ACCESSPERMS & ~S_IWOTH) != 0 && errno != EEXIST)
    throw Error(path.string() + ": cannot make this folder: " + base::system_text(errno));
  base::FileDescriptor fd(openat(folder.fd(), name.c_str(), folder_flags | O_NOFOLLOW));
  if (fd) return output_folder(std::move(fd), path);
  if (errno == ENOTDIR || errno == ELOOP)
    throw Error(path.string() + ": no folder, or a symbolic link, through which nothing is written");
  throw Error(path.string() + ": cannot open this folder: " + base::system_text(errno));
}

}  // namespace adarun::launcher
