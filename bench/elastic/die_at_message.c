// SPDX-License-Identifier: Apache-2.0
/* Preloaded: kills this process at the N-th message that it sends to other ranks (N: DIE_AT_MESSAGE, from 1),
   if it is rank DIE_RANK and the process that DIE_PROGRAM names. With DIE_AGAIN, that is one which was
   started again once, the one before it ends at a message in its training, and later ones do not. libadasum
   alone sends with sendmsg() there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef ssize_t send_function(int, const struct msghdr*, int);

static int is_chosen(void) {
  const char* rank = getenv("RANK_ID");
  const char* chosen = getenv("DIE_RANK");
  const char* program = getenv("DIE_PROGRAM");
  return rank && chosen && program && strcmp(rank, chosen) == 0 &&
         strcmp(program_invocation_short_name, program) == 0;
}

static long message_to_die_at(void) {
  const char* at = getenv("DIE_AT_MESSAGE");
  const char* restarts = getenv("ADARUN_RANK_RESTARTS");
  if (!at || !is_chosen()) return 0;
  if (!getenv("DIE_AGAIN")) return atol(at);
  if (!restarts) return 60;
  return strcmp(restarts, "1") == 0 ? atol(at) : 0;
}

ssize_t sendmsg(int descriptor, const struct msghdr* message, int flags) {
  static send_function* next;
  static long left = -1;
  if (!next) {
    next = (send_function*)dlsym(RTLD_NEXT, "sendmsg");
    left = message_to_die_at();
  }
  if (left > 0 && --left == 0) kill(getpid(), SIGKILL);
  return next(descriptor, message, flags);
}
