// SPDX-License-Identifier: Apache-2.0
#include "nopal/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/message.hpp"
#include "platform/stack_memory.hpp"
#include "runtime/options.hpp"

namespace nopal {
namespace {

/// The environment variables that begin with NOPAL_.
class environment {
 public:
  /// Returns the value, or nothing if the variable is not set, or empty.
  std::optional<std::string_view> value_of(const char* variable) {
    known_.push_back(variable);
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return {};
    return value;
  }

  /// Says on stderr, once in a process, which variables are set that nobody has asked for. It
  /// leaves out those of the project's own tests and benchmarks.
  void note_unknown() const {
    std::vector<std::string> notes;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view name(*variable, std::strcspn(*variable, "="));
      if (!name.starts_with("NOPAL_") || name.starts_with("NOPAL_TEST_") ||
          name.starts_with("NOPAL_BENCH_") || std::ranges::find(known_, name) != known_.end())
        continue;
      std::string note = "there is no environment variable " + std::string(name) + "; known are";
      for (const std::string_view known : known_)
        (note += known == known_.front() ? " " : ", ") += known;
      notes.push_back(note);
    }
    static std::atomic<bool> noted = false;
    if (notes.empty() || noted.exchange(true, std::memory_order_relaxed)) return;
    for (const std::string& note : notes) detail::write_message(note.c_str());
  }

 private:
  std::vector<std::string_view> known_;
};

/// Throws for a variable that is set to something else than is `allowed`.
[[noreturn]] void refuse(const char* variable, std::string_view value, const std::string& allowed) {
  throw std::invalid_argument("nopal: environment variable " + std::string(variable) + " is '" +
                              std::string(value) + "'; allowed are " + allowed);
}

/// Sets `target`, a field of the options, to the number that the variable has, if it is set.
/// \throws std::invalid_argument if it is none from `least` to `most`.
template <class N>
void read_number(environment& from, const char* variable, N& target, N least, N most,
                 bool with_suffix = false) {
  const auto set = from.value_of(variable);
  if (!set) return;
  const std::string_view value = *set;
  const std::string allowed =
      std::to_string(least) + " to " + std::to_string(most) +
      (with_suffix ? ", where a suffix K, M or G multiplies by 1024, 1024^2 or 1024^3" : "");
  N n{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  const std::string_view suffix(end, static_cast<std::size_t>(value.data() + value.size() - end));
  N factor = 1;
  if (with_suffix && suffix.size() == 1) {
    const auto power = std::string_view("KMG").find(suffix[0]);
    if (power != std::string_view::npos) factor = N{1} << (10 * (power + 1));
  }
  const bool understood = error == std::errc{} && (suffix.empty() || factor != 1);
  if (!understood || n > most / factor || n * factor < least) refuse(variable, value, allowed);
  target = n * factor;
}

/// Sets `target`, a field of the options, to what the name means that the variable has, if it is
/// set.
/// \throws std::invalid_argument if it is none of `names`.
template <class T>
void read_name(environment& from, const char* variable, T& target,
               std::initializer_list<std::pair<std::string_view, T>> names) {
  const auto value = from.value_of(variable);
  if (!value) return;
  std::string allowed;
  for (const auto& [name, meaning] : names) {
    if (name == *value) {
      target = meaning;
      return;
    }
    if (!allowed.empty()) allowed += ", ";
    allowed += name;
  }
  refuse(variable, *value, allowed);
}

/// Does what read_name() does, for yes and no.
void read_switch(environment& from, const char* variable, bool& target) {
  read_name<bool>(from, variable, target,
                  {{"0", false},
                   {"1", true},
                   {"false", false},
                   {"true", true},
                   {"no", false},
                   {"yes", true},
                   {"off", false},
                   {"on", true}});
}

/// Refuses a value that has no name in its enumeration: a cast can make one.
template <class T>
void require_enumerator(const char* option, T value, std::initializer_list<T> all,
                        const char* allowed) {
  if (std::ranges::find(all, value) == all.end())
    throw std::invalid_argument("nopal: options::" + std::string(option) + " is " +
                                std::to_string(static_cast<int>(value)) +
                                ", which is no value of its enumeration; allowed are " + allowed);
}

}  // namespace

options options::from_environment() {
  options o;
  environment variables;
  read_number<unsigned>(variables, "NOPAL_WORKERS", o.workers, 0, detail::max_workers);
  read_switch(variables, "NOPAL_PIN", o.pin);
  read_name<idle_policy>(variables, "NOPAL_IDLE", o.idle,
                         {{"lazy", idle_policy::lazy}, {"busy", idle_policy::busy}});
  read_number<std::size_t>(variables, "NOPAL_STACK_BYTES", o.stack_bytes, detail::min_stack_bytes,
                           detail::max_stack_bytes, true);
  read_name<reclaim_policy>(variables, "NOPAL_RECLAIM", o.reclaim,
                            {{"none", reclaim_policy::none},
                             {"free", reclaim_policy::free},
                             {"dontneed", reclaim_policy::dontneed},
                             {"adaptive", reclaim_policy::adaptive}});
  read_number<std::uint64_t>(variables, "NOPAL_SEED", o.seed, 0, ~std::uint64_t{0});
  read_switch(variables, "NOPAL_CALLER_WORKS", o.caller_works);
  bool by_threads = false;
  read_name<bool>(variables, "NOPAL_IO", by_threads, {{"auto", false}, {"threads", true}});
  variables.note_unknown();
  return o;
}

namespace detail {

options checked(options o) {
  require_enumerator("idle", o.idle, {idle_policy::lazy, idle_policy::busy},
                     "idle_policy::lazy and idle_policy::busy");
  require_enumerator("reclaim", o.reclaim,
                     {reclaim_policy::none, reclaim_policy::free, reclaim_policy::dontneed,
                      reclaim_policy::adaptive},
                     "reclaim_policy::none, free, dontneed and adaptive");
  if (o.workers > max_workers)
    throw std::invalid_argument("nopal: options::workers is " + std::to_string(o.workers) +
                                "; allowed are 0 (choose) to " + std::to_string(max_workers));
  if (o.stack_bytes < min_stack_bytes || o.stack_bytes > max_stack_bytes)
    throw std::invalid_argument("nopal: options::stack_bytes is " + std::to_string(o.stack_bytes) +
                                "; allowed are " + std::to_string(min_stack_bytes) + " to " +
                                std::to_string(max_stack_bytes));
  const std::size_t page = page_size();
  o.stack_bytes = (o.stack_bytes + page - 1) / page * page;
  return o;
}

}  // namespace detail
}  // namespace nopal
