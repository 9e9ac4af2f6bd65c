// SPDX-License-Identifier: Apache-2.0
#include "platform/message.hpp"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/configuration.hpp"

// The linker looks for this, and says so if it does not find it.
const char NOPAL_CONFIGURED(nopal_configured_for__) = 0;

namespace nopal::detail {

void write_message(const char* text) noexcept {
  char begin[] = "nopal: ";
  char end[] = "\n";
  iovec parts[] = {{begin, sizeof begin - 1},
                   {const_cast<char*>(text), std::strlen(text)},
                   {end, sizeof end - 1}};
  // Nothing can be done if this fails.
  static_cast<void>(writev(STDERR_FILENO, parts, 3) < 0);
}

void broken_invariant(const char* which) noexcept {
  write_message(which);
  std::abort();
}

void misuse(const char* what) noexcept { broken_invariant(what); }

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::array<char, 16> thread{};  // the longest name that the system keeps, and its end
  pthread_getname_np(pthread_self(), thread.data(), thread.size());
  std::array<char, 1024> message;
  std::snprintf(message.data(), message.size(), "%s:%d: on thread %s (%d), this does not hold: %s",
                file, line, thread.data(), gettid(), condition);
  broken_invariant(message.data());
}

}  // namespace nopal::detail
