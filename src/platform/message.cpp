// SPDX-License-Identifier: Apache-2.0
#include "platform/message.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

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

}  // namespace nopal::detail
