// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/kept_output.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "base/file_descriptor.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {
namespace {

constexpr const char* file_name = "stream";

// Ends in '/'; empty if the user has no cache folder.
std::string spool_root() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/adarun/spool/";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/adarun/spool/" : "";
}

// Open for writing, as NFS wants it of a file to lock.
bool is_locked(const std::string& path) {
  const base::FileDescriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

// A spare has the number of the node whose place it takes, and may share the user's folder with it.
std::string spool_path(const std::string& job_id, std::uint32_t node) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string name = job_id + '-' + std::to_string(node) + '-' + host.data();
  const bool plain = !job_id.empty() && job_id[0] != '.' && name.find('/') == std::string::npos;
  const std::string root = spool_root();
  return root.empty() || !plain ? "" : root + name + '/' + file_name;
}

void remove_spool(const std::string& path) {
  if (path.empty()) return;
  ::unlink(path.c_str());
  ::rmdir(path.substr(0, path.rfind('/')).c_str());
}

void remove_old_spools() {
  const std::string root = spool_root();
  const base::Directory folder(root.empty() ? nullptr : ::opendir(root.c_str()));
  if (!folder) return;
  const std::time_t oldest = std::time(nullptr) - std::chrono::seconds(spool_keep_time).count();
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT: this DIR is ours alone
    if (entry->d_name[0] == '.') continue;
    const std::string path = root + entry->d_name + '/' + file_name;
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) == 0 && facts.st_mtime < oldest && !is_locked(path)) remove_spool(path);
  }
}

KeptOutput::KeptOutput(const protocol::UndeliveredRequest& order)
    : path_(spool_path(order.job_id, order.node)), stream_(path_) {}

std::optional<protocol::Message> KeptOutput::next() {
  while (!over_) {
    while (auto message = reader_.next())
      if (std::holds_alternative<protocol::Output>(*message) ||
          std::holds_alternative<protocol::Exited>(*message))
        return message;
    const auto piece = stream_.found() ? stream_.next() : std::nullopt;
    if (piece) {
      reader_.feed(*piece);
      continue;
    }
    over_ = true;
    return protocol::UndeliveredReply{stream_.found()};
  }
  return std::nullopt;
}

void KeptOutput::forget() const {
  remove_spool(path_);
}

}  // namespace adarun::launcher::agent
