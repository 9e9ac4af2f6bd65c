// SPDX-License-Identifier: Apache-2.0
// Programs that must not compile, one for each value of NOPAL_REFUSED; with 0 this file is right,
// and compiles.
#include "nopal/stm.hpp"

#include <string>

#include "nopal/task.hpp"

namespace stm = nopal::stm;

nopal::task<int> some_task() { co_return 1; }

struct node : stm::object<stm::inline_lock> {
  stm::field<int, stm::inline_lock> key;
#if NOPAL_REFUSED == 3
  stm::field<std::string, stm::inline_lock> name;
#endif
  stm::field<int, stm::word_lock> of_another_policy;
};

int main() {
  node n;
  stm::var<int> v{1};
  stm::boxed<std::string> s{"text"};
#if NOPAL_REFUSED == 2
  stm::var<std::string> w;
#endif
#if NOPAL_REFUSED == 1
  stm::atomically([](stm::transaction&) { return some_task(); });
#elif NOPAL_REFUSED == 6
  stm::irrevocably([](stm::transaction&) { return some_task(); });
#elif NOPAL_REFUSED == 5
  stm::atomically([] { return 1; });
#endif
  return stm::atomically([&](stm::transaction& t) {
#if NOPAL_REFUSED == 4
    t.set(n, &node::of_another_policy, 1);
#endif
    t.set(n, &node::key, 1);
    return t.get(v) + t.get(n, &node::key) + static_cast<int>(t.get(s).size()) == 6 ? 0 : 1;
  });
}
