// SPDX-License-Identifier: Apache-2.0
// Calls of the system that suspend the calling strand while they wait. Its worker runs something
// else meanwhile.
#ifndef NOPAL_C_IO_H
#define NOPAL_C_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "nopal/c/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Each call has the arguments of the system's call of the same name, and then two more: `within`,
// the longest time to wait in nanoseconds, or NOPAL_FOREVER; and a pointer to what the system's
// call returns, which may be NULL. Each returns 0, or what errno would be; ETIMEDOUT when the time
// is over; ECANCELED when a stop comes to the caller's scope; and EINVAL if a buffer or a path is
// NULL. Any thread may call them; a thread that is no worker waits itself. What the arguments point
// to has to stay until the call has ended. docs/io.md says how a call waits.

/// Reads up to `size` bytes. `*done` is how many; 0 at the end of the file.
/// \code
/// void copy_input(void) {
///   char bytes[4096];
///   size_t n = 0;
///   while (nopal_read(0, bytes, sizeof bytes, NOPAL_FOREVER, &n) == 0 && n != 0)
///     nopal_write(1, bytes, n, NOPAL_FOREVER, NULL);
/// }
/// \endcode
/// Thread-safety: any thread may call it.
int nopal_read(int fd, void* to, size_t size, int64_t within, size_t* done);

/// Reads from `offset`, in bytes from the beginning of the file.
int nopal_pread(int fd, void* to, size_t size, int64_t offset, int64_t within, size_t* done);

/// Writes up to `size` bytes. `*done` is how many were written, which may be fewer. On a worker
/// nobody gets SIGPIPE: the call returns EPIPE.
int nopal_write(int fd, const void* from, size_t size, int64_t within, size_t* done);

/// Writes at `offset`, in bytes from the beginning of the file.
int nopal_pwrite(int fd, const void* from, size_t size, int64_t offset, int64_t within,
                 size_t* done);

/// Opens `path` below the directory with descriptor `directory`, which may be AT_FDCWD.
int nopal_openat(int directory, const char* path, int flags, mode_t mode, int64_t within, int* fd);

/// Closes a descriptor.
int nopal_close(int fd, int64_t within);

/// Accepts a connection. `flags` are those of accept4(2).
int nopal_accept(int socket, int flags, int64_t within, int* fd);

/// Connects a socket.
int nopal_connect(int socket, const struct sockaddr* to, socklen_t length, int64_t within);

/// Sends up to `size` bytes on a socket.
int nopal_send(int socket, const void* from, size_t size, int flags, int64_t within, size_t* done);

/// Receives up to `size` bytes from a socket.
int nopal_recv(int socket, void* to, size_t size, int flags, int64_t within, size_t* done);

/// Waits until one of `events`, those of poll(2), has come. `*come` are those that have.
int nopal_poll(int fd, short events, int64_t within, short* come);

/// Returns when `nanoseconds` have passed; at once if that is 0.
/// \returns 0; EINVAL if `nanoseconds` is negative, as NOPAL_FOREVER is; ECANCELED when a stop
/// comes to the caller's scope.
int nopal_sleep(int64_t nanoseconds);

/// Calls f(argument) on a helper thread while the calling strand is suspended: for anything that
/// waits and has no name here. On a thread that is no worker this is f(argument). f does not end by
/// pthread_exit(3) or longjmp(3), and nobody cancels its thread.
/// \returns 0; EINVAL if `f` is NULL; NOPAL_E_EXCEPTION if f throws; EAGAIN if there is no helper
/// thread and none can be started.
int nopal_blocking(nopal_function f, void* argument);

#ifdef __cplusplus
}
#endif

#endif
