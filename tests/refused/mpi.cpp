// SPDX-License-Identifier: Apache-2.0
// Wrong calls of nopal/mpi.hpp; see check_calls.py.
#include "nopal/mpi.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"

nopal::mpi::world& world();

#if NOPAL_REFUSED == 0
int main() {
  auto c = world().channel<std::vector<std::string>>(0, 10);
  const bool is_sent = c.send({"a", "b"});
  std::optional<std::vector<std::string>> got = c.receive();
  return is_sent && got ? 0 : 1;
}
#elif NOPAL_REFUSED == 1
// says: an element is sent to another rank, so it must be trivially copyable and no pointer
int main() {
  auto channels = world().channel<nopal::mpi::channel<int>>(0, 10);
  channels.send(world().channel<int>(0, 10));
}
#elif NOPAL_REFUSED == 2
// says: an element is sent to another rank, so it must be trivially copyable and no pointer
int main() {
  int number = 1;
  world().channel<int*>(0, 10).send(&number);
}
#elif NOPAL_REFUSED == 3
// says: an element is sent to another rank, so it must be trivially copyable and no pointer
int main() { world().channel<std::vector<std::unique_ptr<int>>>(0, 10).send({}); }
#elif NOPAL_REFUSED == 4
// says: the call has not been made: auto keeps the call itself
int received() {
  auto c = world().channel<int>(0, 10);
  auto v = c.receive();
  return *v;
}
#endif
