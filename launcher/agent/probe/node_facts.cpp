// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/probe/node_facts.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;

Answer without(const Query& query, Outcome outcome, const std::string& reason) {
  Answer answer;
  answer.id = query.id;
  answer.outcome = outcome;
  answer.reason = reason;
  return answer;
}

Answer refused(const Query& query, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return without(query, missing ? Outcome::not_found : Outcome::failed,
                 query.path + ": " + base::system_text(error));
}

Answer too_much(const Query& query) {
  return without(query, Outcome::too_much,
                 query.path + ": more than " + std::to_string(query.limit_bytes) + " bytes");
}

Answer read_file(const Query& query) {
  // O_NONBLOCK: opening a pipe without a writer would block.
  const base::FileDescriptor file(::open(query.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return refused(query, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return refused(query, errno);
  if (!S_ISREG(facts.st_mode)) return without(query, Outcome::failed, query.path + ": is no regular file");
  Answer answer;
  answer.id = query.id;
  std::array<char, 64U << 10U> block;  // NOLINT: filled by read
  for (;;) {
    const ssize_t size = ::read(file.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return refused(query, errno);
    if (size == 0) return answer;
    answer.out.append(block.data(), static_cast<std::size_t>(size));
    if (answer.out.size() > query.limit_bytes) return too_much(query);
  }
}

Answer list_folder(const Query& query) {
  const base::Directory folder(::opendir(query.path.c_str()));
  if (!folder) return refused(query, errno);
  Answer answer;
  answer.id = query.id;
  std::size_t bytes = 0;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT: this DIR is ours alone
    const std::string& name = answer.names.emplace_back(entry->d_name);
    bytes += name.size();
    if (name == "." || name == "..") answer.names.pop_back();
    if (bytes > query.limit_bytes) return too_much(query);
  }
  std::sort(answer.names.begin(), answer.names.end());
  return answer;
}

std::string address_text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text.data(), text.size());
  if (address->sa_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text.data(),
                text.size());
  return text.data();
}

Answer own_addresses(const Query& query) {
  std::array<char, 257> name{};
  ifaddrs* list = nullptr;
  if (::gethostname(name.data(), name.size() - 1) != 0 || ::getifaddrs(&list) != 0)
    return without(query, Outcome::failed, "the node's addresses: " + base::system_text(errno));
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  Answer answer;
  answer.id = query.id;
  answer.out = name.data();
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    const std::string text = each->ifa_addr == nullptr ? "" : address_text(each->ifa_addr);
    if (!text.empty()) answer.names.push_back(text);
  }
  return answer;
}

}  // namespace

Answer node_fact(const Query& query) {
  if (query.question == protocol::Question::read) return read_file(query);
  if (query.question == protocol::Question::list) return list_folder(query);
  if (query.question == protocol::Question::addresses) return own_addresses(query);
  return without(query, Outcome::failed, "a question that this adarun-agent does not know");
}

}  // namespace adarun::launcher::agent
