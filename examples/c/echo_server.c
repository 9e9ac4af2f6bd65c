// SPDX-License-Identifier: Apache-2.0
// A server in C that sends back what it gets: code that seems to block, a strand for each
// connection, few workers for all of them. Usage: echo_server [port]
// With a port it serves until it is killed, and without one it checks itself.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <nopal/nopal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct server {
  int listener;
  struct sockaddr_in address;
  nopal_scope* connections;
};

// Sends back what comes, until the other side ends the connection, it breaks, or the server stops.
static void echo(void* argument) {
  const int fd = (int)(intptr_t)argument;
  char bytes[4096];
  size_t n = 0;
  while (nopal_recv(fd, bytes, sizeof bytes, 0, NOPAL_FOREVER, &n) == 0 && n != 0) {
    size_t sent = 0;
    size_t more = 0;
    while (sent < n && nopal_send(fd, bytes + sent, n - sent, 0, NOPAL_FOREVER, &more) == 0)
      sent += more;
    if (sent < n) break;
  }
  close(fd);
}

// Accepts connections until the scope of the server is stopped.
static void serve(void* argument) {
  struct server* s = argument;
  int fd = -1;
  while (nopal_accept(s->listener, SOCK_CLOEXEC, NOPAL_FOREVER, &fd) == 0)
    if (nopal_scope_start(s->connections, echo, (void*)(intptr_t)fd) != 0) close(fd);
}

static int open_at(struct server* s, int port) {
  const int again = 1;
  socklen_t length = sizeof s->address;
  memset(&s->address, 0, sizeof s->address);
  s->address.sin_family = AF_INET;
  s->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  s->address.sin_port = htons((uint16_t)port);
  s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s->listener < 0) return -1;
  setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  if (bind(s->listener, (struct sockaddr*)&s->address, length) != 0) return -1;
  if (listen(s->listener, SOMAXCONN) != 0) return -1;
  return getsockname(s->listener, (struct sockaddr*)&s->address, &length);
}

// A client, of which there are many at a time. It leaves 1 if it gets back what it has sent.
struct client {
  const struct server* of;
  int ok;
};

static void ask(void* argument) {
  struct client* c = argument;
  const char text[] = "the same again";
  char back[sizeof text];
  size_t got = 0;
  size_t more = 0;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  if (nopal_connect(fd, (const struct sockaddr*)&c->of->address, sizeof c->of->address,
                    NOPAL_FOREVER) == 0 &&
      nopal_send(fd, text, sizeof text, 0, NOPAL_FOREVER, NULL) == 0) {
    while (got < sizeof text &&
           nopal_recv(fd, back + got, sizeof text - got, 0, NOPAL_FOREVER, &more) == 0 && more != 0)
      got += more;
    c->ok = got == sizeof text && memcmp(text, back, got) == 0;
  }
  close(fd);
}

static int check(const struct server* s) {
  enum { clients = 100 };
  static struct client all[clients];
  nopal_scope* asking = NULL;
  int ok = 0;
  if (nopal_scope_create(NULL, &asking) != 0) return 1;
  for (int i = 0; i < clients; ++i) {
    all[i].of = s;
    if (nopal_scope_start(asking, ask, &all[i]) != 0) break;
  }
  nopal_scope_join(asking, NOPAL_FOREVER);
  nopal_scope_destroy(asking);
  for (int i = 0; i < clients; ++i) ok += all[i].ok;
  printf("%d of %d clients got back what they sent\n", ok, clients);
  return ok == clients ? 0 : 1;
}

int main(int argc, char** argv) {
  struct server s;
  int result = 0;
  if (open_at(&s, argc > 1 ? atoi(argv[1]) : 0) != 0) {
    perror("echo_server");
    return 1;
  }
  if (nopal_scope_create(NULL, &s.connections) != 0 ||
      nopal_scope_start(s.connections, serve, &s) != 0) {
    fprintf(stderr, "%s\n", nopal_last_error());
    return 1;
  }
  printf("echo_server listens on port %d\n", ntohs(s.address.sin_port));
  if (argc > 1)
    nopal_scope_join(s.connections, NOPAL_FOREVER);
  else
    result = check(&s);
  nopal_scope_destroy(s.connections);  // stops what waits
  close(s.listener);
  return result;
}
