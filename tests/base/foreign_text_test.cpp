// SPDX-License-Identifier: Apache-2.0
#include "base/foreign_text.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::base {
namespace {

using namespace std::string_literals;

std::string name_of(const std::optional<FileKind>& kind) {
  return kind ? std::string(kind->name) : "";
}

TEST(ForeignText, IsRecognisedByItsFirstBytes) {
  const std::pair<std::string, const char*> cases[] = {
      {"\x1f\x8b\x08\0"s, "a gzip archive"},
      {"BZh91AY"s, "a bzip2 archive"},
      {"\xfd"
       "7zXZ\0\0"s,
       "an xz archive"},
      {"\x28\xb5\x2f\xfd\x04"s, "a zstd archive"},
      {"PK\x03\x04"s, "a zip archive"},
      {"\x7f"
       "ELF\x02"s,
       "a program or library"},
      {"%PDF-1.7"s, "a PDF document"},
      {"\x89PNG\r\n"s, "an image"},
      {std::string(257, 'x') + "ustar\00000", "a tar archive"},
      {"\xff\xfe{\0\n\0"s, "UTF-16 text"},
      {"\xfe\xff\0{\0\n"s, "UTF-16 text"},
      {"\xff\xfe\0\0{\0\0\0"s, "UTF-32 text"},
      {"\0\0\xfe\xff\0\0\0{"s, "UTF-32 text"},
      {"n\0o\0d\0e\0001\0\n\0n\0o\0"s, "UTF-16 text"},
      {"\0n\0o\0d\0e\0001\0\n\0n\0o"s, "UTF-16 text"},
      {"node1 slots=8\nnode2\n"s, ""},
      {"A=1\0B=2\0C=3\0D=4\0E=5\0"s, ""},
      {"{\"version\": \"1.0\"}"s, ""},
      {std::string(256, 'x') + "ustar", ""},
      {""s, ""},
  };
  for (const auto& [bytes, name] : cases) EXPECT_EQ(name_of(binary_kind(bytes)), name) << bytes.substr(0, 20);
}

TEST(ForeignText, IsRecognisedByItsWords) {
  const std::pair<std::string, const char*> cases[] = {
      {"apiVersion: v1\ndata:\n  hccl.json: x\nkind: ConfigMap\n", "a ConfigMap of Kubernetes"},
      {"apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n", "a kubeconfig"},
      {"---\napiVersion: apps/v1\nkind: Deployment\n", "an object of Kubernetes"},
      {"- hosts: all\n  tasks:\n", "a playbook of Ansible"},
      {"# mine\nHost node1\n  HostName 10.0.0.1\n", "an ssh_config"},
      {"\n<!DOCTYPE html>", "an HTML or XML page"},
      {"<?xml version=\"1.0\"?>", "an HTML or XML page"},
      {"address_0=10.0.0.1\nnetmask_0=255.255.0.0\n", "hccn.conf"},
      {"netmask_1=255.255.0.0\naddress_1=10.0.0.1\n", "hccn.conf"},
      {"# c\nClusterName=c\nSlurmctldHost=a\n", "a slurm.conf"},
      {"NodeName=a[1-4] CPUs=8\n", "a slurm.conf"},
      {"# c\n\n127.0.0.1\tlocalhost\n", "a file of addresses as /etc/hosts"},
      {"::1 ip6-localhost ip6-loopback\n", "a file of addresses as /etc/hosts"},
      {"2026-11-30 01:02:03,123 INFO x\n", "a log"},
      {"[2026-11-30 01:02:03,123] torch.distributed.run: [WARNING]\n", "a log"},
      {"W1130 01:02:03.123000 1234 torch/distributed/run.py:779]\n", "a log"},
      {"node1 slots=8\n", ""},
      {"kind: x\n", ""},
      {"10.0.0.1 slots=8\n", ""},
      {"10.0.0.1 slots = 8\n", ""},
      {"10.0.0.1\n", ""},
      {"10.0.0.1 ssh-ed25519 AAAA\n", ""},
      {"10:20:30 loss 1\n", ""},
      {"#", ""},
      {"  apiVersion: v1\n  kind: x\n", ""},
      {"2026\n", ""},
      {"Node1\n", ""},
      {"Host1 slots=2\n", ""},
      {"", ""},
  };
  for (const auto& [text, name] : cases) EXPECT_EQ(name_of(text_kind(text)), name) << text;
  EXPECT_EQ(name_of(text_kind(std::string(1U << 20U, '\n') + "<html>")), "");
}

TEST(ForeignText, BecomesUtf8) {
  const std::pair<std::string, std::string> cases[] = {
      {"a\n", "a\n"},
      {"\xef\xbb\xbf"
       "a",
       "a"},
      {"\xff\xfe"
       "a\0\n\0"s,
       "a\n"},
      {"\xfe\xff\0a\0\n"s, "a\n"},
      {"\xff\xfe\xf6\0\xac\x20\x3d\xd8\0\xde"s, "\xc3\xb6\xe2\x82\xac\xf0\x9f\x98\x80"},
      {"\xff\xfe\x3d\xd8"
       "a\0"s,
       "\xef\xbf\xbd"
       "a"},
      {"\xff\xfe\0\xde"s, "\xef\xbf\xbd"},
      {"\xff\xfe\x3d\xd8"s, "\xef\xbf\xbd"},
      {"\xff\xfe"
       "a\0b"s,
       "a\xef\xbf\xbd"},
      {"\xff\xfe"s, ""},
      {"\xff\xfe\0\0a\0\0\0"s, "\xff\xfe\0\0a\0\0\0"s},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(in_utf8(bytes), text);
}

}  // namespace
}  // namespace adarun::base
