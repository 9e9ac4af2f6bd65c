// SPDX-License-Identifier: Apache-2.0
// Accounts in a bank, and transactions over several of them: strands of a runtime transfer money, a
// thread that is no worker adds all up again and again and always finds the same sum, and somebody
// waits until there is enough on an account. Usage: bank [transfers]
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nopal/nopal.hpp>
#include <thread>
#include <vector>

namespace stm = nopal::stm;

constexpr unsigned accounts = 64;
constexpr long at_first = 1000;

using bank = std::vector<stm::var<long>>;

// If there is not enough, the transaction sleeps until one of the two accounts changes.
void transfer(stm::transaction& t, stm::var<long>& from, stm::var<long>& to, long amount) {
  if (t.get(from) < amount) t.retry();
  t.set(from, t.get(from) - amount);
  t.set(to, t.get(to) + amount);
}

long sum_of(stm::transaction& t, const bank& b) {
  long sum = 0;
  for (const auto& account : b) sum += t.get(account);
  return sum;
}

int main(int argc, char** argv) {
  const long transfers = argc > 1 ? std::atol(argv[1]) : 20'000;
  bank b(accounts);
  for (auto& account : b) account.set_value(at_first);

  std::atomic<bool> over{false};
  bool always_the_same = true;
  std::jthread auditor([&] {
    while (!over) {
      const long sum = stm::atomically([&](stm::transaction& t) { return sum_of(t, b); });
      if (sum != accounts * at_first) always_the_same = false;
    }
  });

  // Any strand of any worker may run a transaction.
  nopal::for_each(0L, transfers, [&](long i) {
    const auto from = static_cast<std::size_t>(i) * 7919 % accounts;
    const auto to = static_cast<std::size_t>(i) * 104729 % accounts;
    const bool done = stm::atomically([&](stm::transaction& t) {
      // or_else runs the transfer or, if there is not enough, does nothing.
      return t.or_else(
          [&](stm::transaction& u) {
            transfer(u, b[from], b[to], 1 + i % 300);
            return true;
          },
          [](stm::transaction&) { return false; });
    });
    static_cast<void>(done);
  });
  over = true;
  auditor.join();

  // One thread waits for more than there is on the account, and another brings it.
  stm::var<long> savings{0}, spent{0};
  std::jthread waits(
      [&] { stm::atomically([&](stm::transaction& t) { transfer(t, savings, spent, 500); }); });
  for (int i = 0; i < 5; ++i)
    stm::atomically([&](stm::transaction& t) { t.set(savings, t.get(savings) + 100); });
  waits.join();

  const long sum = stm::atomically([&](stm::transaction& t) { return sum_of(t, b); });
  const bool right = always_the_same && sum == accounts * at_first && spent.value() == 500;
  std::cout << accounts << " accounts have " << sum << " together"
            << (right ? "" : ", which is WRONG") << '\n';
  return right ? 0 : 1;
}
