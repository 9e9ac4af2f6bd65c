// SPDX-License-Identifier: Apache-2.0
#include "mapped/mapping.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "mapped/system.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "platform/message.hpp"
#include "strand/strand_worker.hpp"

namespace nopal::detail::mapped {
namespace {

/// The number of levels. Each takes up to two mappings of a process, its memory and its guard;
/// vm.max_map_count is 65530 unless set.
constexpr unsigned most_levels = 16384;
constexpr std::size_t most_segments = std::size_t{1} << 20;
constexpr std::size_t guard_bytes = std::size_t{64} << 10;  // as in map_stack_memory()

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::system_category(), what);
}

const segment* as_segment(const stack* s) noexcept { return static_cast<const segment*>(s); }

}  // namespace

mapping::mapping(std::size_t stack_bytes)
    : guard_(std::max(guard_bytes, page_size())),
      usable_(stack_bytes),
      levels_(most_levels),
      begin_(nullptr),
      file_(memfd_create("nopal-stacks", MFD_CLOEXEC)) {
  if (file_ < 0) fail("nopal: memfd_create(2) for the stacks");
  void* p = MAP_FAILED;
  if (ftruncate(file_, static_cast<off_t>(usable_ * most_segments)) == 0)
    p = system_mmap(nullptr, (guard_ + usable_) * levels_, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    const int error = errno;
    close(file_);
    errno = error;
    fail("nopal: no addresses for the stacks; ask for less (options::stack_bytes)");
  }
  begin_ = static_cast<std::byte*>(p);
}

void mapping::add_workers(unsigned number) {
  spaces_ = std::vector<address_space>(number);
  const auto nothing = [&] {
    auto* p = static_cast<const segment**>(std::calloc(levels_, sizeof(const segment*)));
    if (p == nullptr) throw std::bad_alloc();
    return by_level(p);
  };
  for (address_space& v : spaces_) {
    v.mapped = nothing();
    v.chain = nothing();
  }
}

mapping::~mapping() {
  for (segment* s = newest_.load(std::memory_order_relaxed); s != nullptr;) {
    segment* next = s->next;
    delete s;
    s = next;
  }
  munmap(begin_, (guard_ + usable_) * levels_);
  close(file_);
}

std::byte* mapping::begin_of(unsigned level) const noexcept {
  return begin_ + (guard_ + usable_) * (levels_ - 1 - level);
}

bool mapping::in_region(const void* p) const noexcept {
  const auto* b = static_cast<const std::byte*>(p);
  return begin_ <= b && b < begin_ + (guard_ + usable_) * levels_;
}

unsigned mapping::level_of(const void* p) const noexcept {
  const auto from_begin = static_cast<std::size_t>(static_cast<const std::byte*>(p) - begin_);
  return levels_ - 1 - static_cast<unsigned>(from_begin / (guard_ + usable_));
}

stack* mapping::make() noexcept {
  const std::size_t number = count_.fetch_add(1, std::memory_order_relaxed);
  segment* s = nullptr;
  if (number < most_segments)
    s = new (std::nothrow) segment(stack_memory{begin_, guard_, usable_, file_, number * usable_});
  if (s == nullptr) {
    count_.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  s->next = newest_.load(std::memory_order_relaxed);
  // The list is read when the workers have ended.
  while (!newest_.compare_exchange_weak(s->next, s, std::memory_order_relaxed)) {
  }
  return s;
}

void mapping::copy_chain(const strand_worker& thief, const strand_worker& victim) noexcept {
  const segment** const chain = spaces_[thief.index].chain.get();
  // While what the thief wants is in the deque, these segments are the victim's, and were written
  // before it was pushed: the acquire load of bottom in the deque's steal() pairs with the push. If
  // the victim has taken it back, these may be any segments, so the number of steps is bounded.
  const segment* s = as_segment(victim.published.load(std::memory_order_relaxed));
  for (unsigned n = 0; s != nullptr && n < levels_; ++n) {
    chain[s->level.load(std::memory_order_relaxed)] = s;
    s = s->above.load(std::memory_order_relaxed);
  }
}

void mapping::begin_stolen(strand_worker& thief, const continuation& c) noexcept {
  if (!in_region(&c)) refuse("a task, or what else is forked and lies on no stack,");
  address_space& v = spaces_[thief.index];
  const unsigned level = level_of(&c);
  for (unsigned l = 0; l <= level; ++l) {
    NOPAL_ASSERT(v.chain[l] != nullptr && v.chain[l]->level.load(std::memory_order_relaxed) == l);
    NOPAL_ASSERT(v.chain[l]->above.load(std::memory_order_relaxed) ==
                 (l == 0 ? nullptr : v.chain[l - 1]));
    show(v, l, *v.chain[l]);
  }
  place_spare(thief, level + 1, v.chain[level]);
}

void mapping::begin_call(strand_worker& w) noexcept { place_spare(w, 0, nullptr); }

void mapping::go_on(strand_worker& w, stack& s) noexcept {
  const auto& there = static_cast<const segment&>(s);
  show(spaces_[w.index], there.level.load(std::memory_order_relaxed), there);
}

/// Puts the spare stack of `w` where the next strand of `w` is to begin, below the segment `above`.
void mapping::place_spare(strand_worker& w, unsigned level, const segment* above) noexcept {
  if (level >= levels_)
    broken_invariant(
        "steals are nested more than 16383 deep, and no stack is left below them. A mapped runtime "
        "has no room for that; use a nopal::runtime");
  auto& own = static_cast<segment&>(*w.spare);
  own.place(begin_of(level));
  own.level.store(level, std::memory_order_relaxed);  // pairs: copy_chain()
  own.above.store(above, std::memory_order_relaxed);  // likewise
  show(spaces_[w.index], level, own);
}

/// Lets a worker see a segment at the addresses of its level, if it does not yet. The worker calls
/// this before it runs something that relies on the segment.
void mapping::show(address_space& v, unsigned level, const segment& s) noexcept {
  if (v.mapped[level] == &s) return;
  const void* p = system_mmap(begin_of(level) + guard_, usable_, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file_, s.memory().offset);
  if (p == MAP_FAILED)
    broken_invariant(
        "the kernel maps no more stacks. Raise vm.max_map_count, or use a nopal::runtime");
  v.mapped[level] = &s;
  v.mmaps.store(v.mmaps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

std::size_t mapping::resident_pages() const noexcept {
  constexpr std::size_t block = 512;  // the unit of st_blocks, whatever the file
  struct stat s{};
  return fstat(file_, &s) == 0 ? static_cast<std::size_t>(s.st_blocks) * block / page_size() : 0;
}

std::uint64_t mapping::segments_mapped() const noexcept {
  std::uint64_t all = 0;
  for (const address_space& v : spaces_) all += v.mmaps.load(std::memory_order_relaxed);
  return all;
}

std::size_t mapping::segments() const noexcept { return count_.load(std::memory_order_relaxed); }

}  // namespace nopal::detail::mapped
