// SPDX-License-Identifier: Apache-2.0
#include "platform/threads/kept_for_thread.hpp"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "platform/unloading/at_unloading.hpp"

namespace nopal::detail {
namespace {

/// One for each object that is kept. Slots are used again, and freed at an unloading only.
struct slot {
  std::atomic<kept_for_thread*> kept;
  slot* next = nullptr;
};

// There is no lock, since a thread of the parent might hold it for ever in a child of fork(2).
constinit std::atomic<slot*> slots{nullptr};

constinit thread_local kept_for_thread* first_of_thread = nullptr;

/// Puts the object where free_all() finds it. A slot of a thread that has ended is used again.
slot* put_into_slot(kept_for_thread* k) {
  // Pairs with the release below: the slot is seen as it was made.
  for (slot* s = slots.load(std::memory_order_acquire); s != nullptr; s = s->next) {
    kept_for_thread* expected = nullptr;
    // Pairs with free_all(). It acquires nothing, since the slot is all that was there.
    if (s->kept.compare_exchange_strong(expected, k, std::memory_order_release,
                                        std::memory_order_relaxed))
      return s;
  }
  auto* fresh = new slot{k, slots.load(std::memory_order_relaxed)};
  while (!slots.compare_exchange_weak(fresh->next, fresh, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
  return fresh;
}

struct key_of_threads {
  pthread_key_t key{};
  bool made = false;
};
constinit key_of_threads made_key;

/// Frees the objects of threads that still run, when the code of nopal is unmapped.
/// \see at_unloading
void free_all(bool process_ends) noexcept {
  if (process_ends) return;
  if (made_key.made) pthread_key_delete(made_key.key);
  for (slot* s = slots.exchange(nullptr, std::memory_order_acquire); s != nullptr;) {
    // Pairs with put_into_slot(), and with end_of_thread(): one of the two gets the object.
    delete s->kept.exchange(nullptr, std::memory_order_acq_rel);
    delete std::exchange(s, s->next);
  }
}

constinit at_unloading frees_all{unloading_step::threads, free_all};

}  // namespace

/// Ends all that is kept for a thread. The C library calls this at the thread's end.
void end_of_thread(void*) noexcept {
  // What ends here may keep something for the thread once more: the C library calls again then.
  while (kept_for_thread* k = first_of_thread) {
    first_of_thread = k->next_of_thread_;
    k->thread_ends();
    // Pairs with free_all().
    kept_for_thread* const mine =
        static_cast<slot*>(k->slot_)->kept.exchange(nullptr, std::memory_order_acq_rel);
    delete mine;
  }
}

void keep_for_this_thread(std::unique_ptr<kept_for_thread> k) {
  static const bool made = [] {
    made_key.made = pthread_key_create(&made_key.key, end_of_thread) == 0;
    frees_all.note();
    return made_key.made;
  }();
  if (!made || pthread_setspecific(made_key.key, &made_key) != 0) throw std::bad_alloc();
  k->slot_ = put_into_slot(k.get());
  k->next_of_thread_ = std::exchange(first_of_thread, k.get());
  static_cast<void>(k.release());
}

}  // namespace nopal::detail
