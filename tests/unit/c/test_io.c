// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "nopal/nopal.h"

static const int64_t one_millisecond = 1000000;

struct listening {
  int fd;
  struct sockaddr_in address;
};

static struct listening listen_anywhere(void) {
  struct listening l;
  socklen_t length = sizeof l.address;
  memset(&l, 0, sizeof l);
  l.fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(l.fd >= 0);
  l.address.sin_family = AF_INET;
  l.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(bind(l.fd, (struct sockaddr*)&l.address, sizeof l.address) == 0);
  CHECK(getsockname(l.fd, (struct sockaddr*)&l.address, &length) == 0);
  CHECK(listen(l.fd, 8) == 0);
  return l;
}

static void serves(void* argument) {
  const struct listening* l = (const struct listening*)argument;
  int fd = -1;
  char text[8] = {0};
  size_t n = 0;
  short come = 0;
  CHECK_ERROR(0, nopal_accept(l->fd, 0, NOPAL_FOREVER, &fd));
  CHECK_ERROR(0, nopal_poll(fd, POLLIN, NOPAL_FOREVER, &come));
  CHECK((come & POLLIN) != 0);
  CHECK_ERROR(0, nopal_recv(fd, text, sizeof text, 0, NOPAL_FOREVER, &n));
  CHECK(n == 4);
  CHECK_ERROR(0, nopal_write(fd, text, n, NOPAL_FOREVER, NULL));
  CHECK_ERROR(0, nopal_close(fd, NOPAL_FOREVER));
}

static void asks(void* argument) {
  const struct listening* l = (const struct listening*)argument;
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  char text[8] = {0};
  size_t n = 0;
  CHECK(fd >= 0);
  CHECK_ERROR(
      0, nopal_connect(fd, (const struct sockaddr*)&l->address, sizeof l->address, NOPAL_FOREVER));
  CHECK_ERROR(0, nopal_send(fd, "ping", 4, 0, NOPAL_FOREVER, &n));
  CHECK(n == 4);
  CHECK_ERROR(0, nopal_read(fd, text, sizeof text, NOPAL_FOREVER, &n));
  CHECK(n == 4);
  CHECK(memcmp(text, "ping", 4) == 0);
  CHECK_ERROR(0, nopal_read(fd, text, sizeof text, NOPAL_FOREVER, &n));
  CHECK(n == 0);
  CHECK_ERROR(0, nopal_close(fd, NOPAL_FOREVER));
}

/* On one worker, too: whoever waits leaves it to the other. */
static void talks(nopal_runtime* r) {
  struct listening l = listen_anywhere();
  nopal_scope* s = NULL;
  CHECK_ERROR(0, nopal_scope_create_on(r, &s));
  CHECK_ERROR(0, nopal_scope_start(s, serves, &l));
  CHECK_ERROR(0, nopal_scope_start(s, asks, &l));
  CHECK_ERROR(0, nopal_scope_join(s, NOPAL_FOREVER));
  CHECK_ERROR(0, nopal_scope_destroy(s));
  CHECK(close(l.fd) == 0);
}

static void on_files(void* argument) {
  char path[] = "/tmp/nopal_test_c_XXXXXX";
  const int made = mkstemp(path);
  char text[8] = {0};
  size_t n = 0;
  int fd = -1;
  (void)argument;
  CHECK(made >= 0);
  CHECK_ERROR(0, nopal_openat(AT_FDCWD, path, O_RDWR, 0, NOPAL_FOREVER, &fd));
  CHECK_ERROR(0, nopal_pwrite(fd, "abc", 3, 2, NOPAL_FOREVER, &n));
  CHECK(n == 3);
  CHECK_ERROR(0, nopal_pread(fd, text, sizeof text, 1, NOPAL_FOREVER, &n));
  CHECK(n == 4);
  CHECK(memcmp(text, "\0abc", 4) == 0);
  CHECK_ERROR(0, nopal_close(fd, NOPAL_FOREVER));
  CHECK_ERROR(EBADF, nopal_read(fd, text, sizeof text, NOPAL_FOREVER, &n));
  CHECK(strstr(nopal_last_error(), "nopal_read") != NULL);
  CHECK(unlink(path) == 0);
  CHECK(close(made) == 0);
  CHECK_ERROR(ENOENT, nopal_openat(AT_FDCWD, path, O_RDONLY, 0, NOPAL_FOREVER, &fd));
}

static void within_a_time(void* argument) {
  int ends[2];
  char byte = 0;
  (void)argument;
  CHECK(pipe(ends) == 0);
  CHECK_ERROR(ETIMEDOUT, nopal_read(ends[0], &byte, 1, one_millisecond, NULL));
  CHECK_ERROR(0, nopal_sleep(one_millisecond));
  CHECK_ERROR(0, nopal_sleep(0));
  CHECK_ERROR(EINVAL, nopal_sleep(-2));
  CHECK_ERROR(EINVAL, nopal_sleep(NOPAL_FOREVER));
  CHECK(close(ends[0]) == 0);
  CHECK(close(ends[1]) == 0);
}

static void set_to_one(void* argument) { *(int*)argument = 1; }

static void blocks(void* argument) {
  int called = 0;
  (void)argument;
  CHECK_ERROR(0, nopal_blocking(set_to_one, &called));
  CHECK(called == 1);
  CHECK_ERROR(EINVAL, nopal_blocking(NULL, NULL));
}

static void refuses(void) {
  CHECK_ERROR(EINVAL, nopal_read(0, NULL, 1, 0, NULL));
  CHECK_ERROR(EINVAL, nopal_pread(0, NULL, 1, 0, 0, NULL));
  CHECK_ERROR(EINVAL, nopal_write(1, NULL, 1, 0, NULL));
  CHECK_ERROR(EINVAL, nopal_pwrite(1, NULL, 1, 0, 0, NULL));
  CHECK_ERROR(EINVAL, nopal_openat(AT_FDCWD, NULL, 0, 0, 0, NULL));
  CHECK_ERROR(EINVAL, nopal_connect(0, NULL, 0, 0));
  CHECK_ERROR(EINVAL, nopal_send(0, NULL, 1, 0, 0, NULL));
  CHECK_ERROR(EINVAL, nopal_recv(0, NULL, 1, 0, 0, NULL));
  CHECK_ERROR(EBADF, nopal_accept(-1, 0, NOPAL_FOREVER, NULL));
  CHECK_ERROR(EBADF, nopal_close(-1, NOPAL_FOREVER));
  CHECK_ERROR(EBADF, nopal_poll(-1, POLLIN, NOPAL_FOREVER, NULL));
}

int main(void) {
  nopal_options o;
  CHECK_ERROR(0, nopal_options_init(&o, sizeof o));
  refuses();
  on_files(NULL);
  within_a_time(NULL);
  blocks(NULL);
  for (unsigned workers = 1; workers <= 2; ++workers) {
    nopal_runtime* r = NULL;
    o.workers = workers;
    o.caller_works = false;
    CHECK_ERROR(0, nopal_runtime_create(&o, &r));
    for (int i = 0; i < 10; ++i) talks(r);
    CHECK_ERROR(0, nopal_run(r, on_files, NULL));
    CHECK_ERROR(0, nopal_run(r, within_a_time, NULL));
    CHECK_ERROR(0, nopal_run(r, blocks, NULL));
    CHECK_ERROR(0, nopal_runtime_destroy(r));
  }
  return 0;
}
