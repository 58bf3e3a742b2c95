// SPDX-License-Identifier: Apache-2.0
// SHA_CTX is the hash without a memory of its own, which a line has twice; what replaces it is not.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "launcher/transport/ssh/known_hosts.h"

#include <openssl/evp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <tuple>

#include "base/describe.h"
#include "base/file_descriptor.h"
#include "base/new_file.h"
#include "base/system_text.h"
#include "launcher/base/error.h"
#include "launcher/transport/ssh/blocking_task.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {
namespace {

constexpr std::string_view hash_mark = "|1|";

// Whether `text` is the base64 of as many bytes as a hash has: it then ends in one "=".
template <typename Digest>
bool from_base64(std::string_view text, Digest& digest) {
  constexpr std::size_t size = std::tuple_size_v<Digest>;
  static_assert(size % 3 == 2);
  std::array<unsigned char, size + 1> bytes{};
  if (text.size() != bytes.size() / 3 * 4 || text.back() != '=') return false;
  const auto* const letters = reinterpret_cast<const unsigned char*>(text.data());
  if (EVP_DecodeBlock(bytes.data(), letters, static_cast<int>(text.size())) != bytes.size()) return false;
  std::copy_n(bytes.begin(), size, digest.begin());
  return true;
}

// The hash of the block that HMAC puts before the text.
template <typename Digest>
SHA_CTX hash_of_block(const Digest& salt, unsigned char pad) {
  std::array<unsigned char, SHA_CBLOCK> block{};
  std::ranges::copy(salt, block.begin());
  for (unsigned char& byte : block) byte ^= pad;
  SHA_CTX hash{};
  SHA1_Init(&hash);
  SHA1_Update(&hash, block.data(), block.size());
  return hash;
}

bool is_pattern(const std::string& name) {
  return name.find_first_of("*?!") != std::string::npos;
}

bool lacks_last_newline(const std::string& file) {
  std::ifstream stream(file, std::ios::ate | std::ios::binary);
  if (!stream || stream.tellg() <= 0) return false;
  stream.seekg(-1, std::ios::end);
  return stream.get() != '\n';
}

// Empty if there is no such file.
std::string text_of(const std::string& path, std::chrono::milliseconds most_time) {
  const auto text = std::make_shared<std::string>();
  const BlockingTask reading([path, text] {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    *text = bytes.str();
  });
  pollfd over{reading.fd(), POLLIN, 0};
  const auto end = std::chrono::steady_clock::now() + most_time;
  while (!reading.over()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0)
      throw Error(path + ": cannot be read within " + base::describe(most_time) +
                  " (is its file system away?)");
    poll(&over, 1, static_cast<int>(left));
  }
  reading.check();
  return *text;
}

}  // namespace

std::optional<HashedName> HashedName::parse(std::string_view text) {
  if (!text.starts_with(hash_mark)) return std::nullopt;
  text.remove_prefix(hash_mark.size());
  const std::size_t middle = text.find('|');
  if (middle == std::string_view::npos) return std::nullopt;
  Digest salt{};  // ssh takes no other lengths.
  Digest hash{};
  if (!from_base64(text.substr(0, middle), salt) || !from_base64(text.substr(middle + 1), hash))
    return std::nullopt;
  return HashedName(salt, hash);
}

HashedName::HashedName(const Digest& salt, const Digest& hash)
    : inner_(hash_of_block(salt, 0x36)), outer_(hash_of_block(salt, 0x5c)), hash_(hash) {}

bool HashedName::is_of(std::string_view name) const {
  Digest digest{};
  SHA_CTX inner = inner_;
  SHA1_Update(&inner, name.data(), name.size());
  SHA1_Final(digest.data(), &inner);
  SHA_CTX outer = outer_;
  SHA1_Update(&outer, digest.data(), digest.size());
  SHA1_Final(digest.data(), &outer);
  return digest == hash_;
}

std::vector<KnownKey> KnownHosts::keys_of(const std::string& name, const std::vector<std::string>& files) {
  std::vector<KnownKey> keys;
  for (const std::string& path : files) {
    auto file = files_.find(path);
    if (file == files_.end()) file = files_.emplace(path, read(path)).first;
    find_hashed(file->second, name);
    const auto [first, last] = file->second.by_name.equal_range(name);
    for (auto each = first; each != last; ++each) keys.push_back(each->second);
    for (const PatternLine& entry : file->second.patterns)
      if (matches_patterns(name, entry.patterns)) keys.push_back(entry.key);
  }
  return keys;
}

// A hash is of one name: a line whose name is found is compared with no other one.
void KnownHosts::find_hashed(ParsedFile& file, const std::string& name) const {
  std::erase_if(file.hashed, [&](const HashedLine& line) {
    if (!matches_hash_(line.name, name)) return false;
    file.by_name.emplace(name, line.key);
    return true;
  });
}

KnownHosts::ParsedFile KnownHosts::read(const std::string& path) const {
  ParsedFile file;
  std::istringstream stream(text_of(path, most_time_));
  int number = 0;
  for (std::string line; std::getline(stream, line);)
    take_line(file, line, path + ":" + std::to_string(++number));
  return file;
}

void KnownHosts::take_line(ParsedFile& file, std::string_view line, const std::string& place) {
  std::istringstream words{std::string(line)};
  std::string names;
  KnownKey key;
  key.place = place;
  words >> names;
  if (names.starts_with('#') || names == "@cert-authority") return;
  key.revoked = names == "@revoked";
  if (key.revoked) words >> names;
  if (!(words >> key.key.kind >> key.key.base64)) return;
  if (names.starts_with('|')) {
    if (const auto hashed = HashedName::parse(names)) file.hashed.push_back({*hashed, key});
    return;
  }
  std::vector<std::string> patterns = split_commas(lower_case(names));
  if (std::any_of(patterns.begin(), patterns.end(), is_pattern)) {
    file.patterns.push_back({std::move(patterns), key});
    return;
  }
  for (const std::string& name : patterns) file.by_name.emplace(name, key);
}

void append_known_host(const std::string& file, const std::string& name, const HostPublicKey& key) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::exists(folder, ignored) &&
      std::filesystem::create_directories(folder, ignored))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
  const base::FileDescriptor descriptor = base::open_to_append(file, 0600);
  const std::string text =
      (lacks_last_newline(file) ? "\n" : "") + name + " " + key.kind + " " + key.base64 + "\n";
  if (!descriptor || write(descriptor.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw Error("cannot add its host key to " + file + ": " + base::system_text(errno));
}

}  // namespace adarun::launcher
