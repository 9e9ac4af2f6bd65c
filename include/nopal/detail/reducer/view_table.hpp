// SPDX-License-Identifier: Apache-2.0
// This holds the views of one segment, and finds each by its reducer. docs/reducer.md describes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/strand/strand_views.hpp"

namespace nopal::detail {

/// The value of a reducer in one segment.
struct view {
  /// What views of one reducer have in common. None of these functions throws.
  struct operations {
    void (*reduce)(view& left, view& right) noexcept;  ///< `left` becomes left · right.
    void (*end)(view& v) noexcept;                     ///< Destroys and frees `v`.
    bool leftmost;                                     ///< Whether the view lies in the reducer.
    /// Puts `v` behind the reducer, if that is a variable of static storage.
    void (*merge_into_variable)(view& v) noexcept = nullptr;
  };

  const void* key;  ///< The reducer; nullptr for none.
  void* value;
  const operations* does;
  view* next = nullptr;  ///< The next view in the same slot.
};

/// A hash table with a list in each slot. The views themselves are linked, so that a table which
/// takes over the views of another needs no memory.
class view_table final : public strand_views {
 public:
  view_table() noexcept { few_.fill(&no_view); }
  ~view_table() override;

  void absorb(strand_views* right) noexcept override;
  void drop() noexcept override;
  void come_back_to_thread() noexcept override;
  [[nodiscard]] bool empty() const noexcept override { return count_ == 0 && !of_program_; }

  /// Makes these the views of the segment that the program has begun with. The leftmost view of a
  /// variable of static storage belongs to that segment, whether the view is in the table or not.
  void set_of_program() noexcept { of_program_ = true; }
  [[nodiscard]] bool is_of_program() const noexcept { return of_program_; }

  /// Returns the first view in the slot of `key`. It may be the view of another key, or none.
  [[nodiscard]] NOPAL_ALWAYS_INLINE const view* first(const void* key) const noexcept {
    return slots_[hash(key) & mask_];
  }
  /// Returns the view of `key`, or nullptr if there is none. Afterwards the view is the first of
  /// its slot.
  view* find(const void* key) noexcept;
  /// Adds `v`.
  /// Precondition: there is no view of its key.
  void add(view& v) noexcept;
  /// Removes `v`. Returns whether it was in this table.
  bool remove(view& v) noexcept;

 private:
  /// Reducers often lie at a multiple of a power of two from each other. The upper bits of the
  /// product depend on all of the address.
  NOPAL_ALWAYS_INLINE static std::size_t hash(const void* key) noexcept {
    constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(key) * golden_ratio) >> 40);
  }
  void grow() noexcept;
  /// Takes all views out, and calls f with each.
  template <class F>
  void empty_into(F&& f) noexcept;
  /// Ends the views for which stays(view) is false.
  template <class F>
  void keep_if(F&& stays) noexcept;

  static view no_view;  ///< Ends every list, so that the first look need not ask for nullptr.
  static constexpr std::size_t few = 8;

  std::array<view*, few> few_;
  view** slots_ = few_.data();
  std::size_t mask_ = few - 1;
  std::size_t count_ = 0;
  bool of_program_ = false;
};

/// Returns the views of the calling strand, or nullptr.
NOPAL_ALWAYS_INLINE view_table* table_of_strand() noexcept {
  return static_cast<view_table*>(views_of_strand());
}

/// Returns the views of the calling strand, and makes a table if there is none.
/// \throws std::bad_alloc
view_table& table_of_strand_or_new();

/// Begins a reducer, whose leftmost view is `leftmost`, in the segment of the calling strand.
/// \throws std::bad_alloc
void begin_reducer(view& leftmost);

/// Ends a reducer. `views` is the number of its views besides the leftmost one. Ends the program
/// with a message if there are any, or if the calling strand does not have the leftmost view: then
/// it is not in the segment in which the reducer began. The caller passes nullptr for a view that
/// it has not found. The destructor of a reducer calls this.
void end_reducer(view* leftmost, std::size_t views) noexcept;

/// Ends the program with a message, since a view is asked for of a reducer that has ended.
[[noreturn, gnu::cold]] void reducer_has_ended() noexcept;

/// Returns the view of `key` in the segment of the calling strand. If there is none, make(argument)
/// makes it.
/// \throws what make() throws, and std::bad_alloc.
view& find_or_make_view(const void* key, view* (*make)(const void* argument), const void* argument);

/// Returns the value of the view of `key`, if that is the first of its slot; otherwise nullptr.
NOPAL_ALWAYS_INLINE void* value_found_first(const void* key) noexcept {
  if (const view_table* t = table_of_strand()) [[likely]] {
    const view* v = t->first(key);
    if (v->key == key) [[likely]]
      return v->value;
  }
  return nullptr;
}

/// Returns the value of the view of `key`. This takes one comparison, if the view is the first of
/// its slot.
NOPAL_ALWAYS_INLINE void* value_of_view(const void* key, view* (*make)(const void* argument),
                                        const void* argument) {
  if (void* value = value_found_first(key)) [[likely]]
    return value;
  return find_or_make_view(key, make, argument).value;
}

}  // namespace nopal::detail

#ifdef NOPAL_CILK_PLUGIN
/// Returns what value_of_view(key, make, key) returns. The plugin for Cilk's keywords makes one
/// call for all the turns of a piece of cilk_for, and puts that function in its place.
extern "C" void* __nopal_reducer_view(const void* key,
                                      nopal::detail::view* (*make)(const void* argument));
#endif
