// SPDX-License-Identifier: Apache-2.0
// Preloaded, has programs for aarch64 executed by qemu-aarch64, as a kernel does where binfmt_misc says so.
// Tests play a node with that processor by it, without changing this machine.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { most_arguments = 256 };

typedef int (*Execve)(const char* path, char* const argv[], char* const envp[]);

static int is_aarch64(const char* path) {
  Elf64_Ehdr header;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t size = read(fd, &header, sizeof header);
  close(fd);
  return size == sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_machine == EM_AARCH64;
}

int execve(const char* path, char* const argv[], char* const envp[]) {
  const Execve next = (Execve)dlsym(RTLD_NEXT, "execve");
  if (!is_aarch64(path)) return next(path, argv, envp);
  char* words[most_arguments] = {(char*)"qemu-aarch64", (char*)path};
  for (int i = 1; i < most_arguments - 2 && argv[i] != NULL; ++i) words[i + 1] = argv[i];
  return next(QEMU_PROGRAM, words, envp);
}
