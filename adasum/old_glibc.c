// SPDX-License-Identifier: Apache-2.0
//
// What compiled C++ calls of glibc 2.30 and newer, for the library of a wheel, which is linked with an older
// one. No other library sees these.
#include <pthread.h>
#include <time.h>

/// Of glibc 2.32: whether the process has one thread, so that libstdc++ may leave out atomic operations. No:
/// it leaves out none.
char __libc_single_threaded = 0;

/// Of glibc 2.30. Where the system's time is changed meanwhile it returns too early or too late, as it did
/// with libstdc++ 9 and older, whose callers look at their own clock then.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* end) {
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  real.tv_sec += end->tv_sec - now.tv_sec;
  real.tv_nsec += end->tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) {
    real.tv_nsec += 1000000000;
    --real.tv_sec;
  } else if (real.tv_nsec >= 1000000000) {
    real.tv_nsec -= 1000000000;
    ++real.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &real);
}
