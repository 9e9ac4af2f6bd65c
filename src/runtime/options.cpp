// SPDX-License-Identifier: Apache-2.0
#include "nopal/options.hpp"

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "platform/stack_memory.hpp"
#include "runtime/options.hpp"

namespace nopal {
namespace {

[[noreturn]] void refuse(const char* variable, std::string_view value, const std::string& allowed) {
  throw std::invalid_argument("nopal: environment variable " + std::string(variable) + " is '" +
                              std::string(value) + "'; allowed are " + allowed);
}

template <class N>
void read_number(const char* variable, N& target, N least, N most, bool with_suffix = false) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  const std::string_view value = text;
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

template <class T>
void read_name(const char* variable, T& target,
               std::initializer_list<std::pair<std::string_view, T>> names) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return;
  std::string allowed;
  for (const auto& [name, meaning] : names) {
    if (name == value) {
      target = meaning;
      return;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  refuse(variable, value, allowed);
}

}  // namespace

options options::from_environment() {
  options o;
  read_number<unsigned>("NOPAL_WORKERS", o.workers, 0, detail::max_workers);
  read_name<bool>("NOPAL_PIN", o.pin,
                  {{"0", false},
                   {"1", true},
                   {"false", false},
                   {"true", true},
                   {"no", false},
                   {"yes", true},
                   {"off", false},
                   {"on", true}});
  read_name<idle_policy>("NOPAL_IDLE", o.idle,
                         {{"lazy", idle_policy::lazy}, {"busy", idle_policy::busy}});
  read_number<std::size_t>("NOPAL_STACK_BYTES", o.stack_bytes, detail::min_stack_bytes,
                           detail::max_stack_bytes, true);
  read_name<reclaim_policy>("NOPAL_RECLAIM", o.reclaim,
                            {{"none", reclaim_policy::none},
                             {"free", reclaim_policy::free},
                             {"dontneed", reclaim_policy::dontneed},
                             {"adaptive", reclaim_policy::adaptive}});
  read_number<std::uint64_t>("NOPAL_SEED", o.seed, 0, ~std::uint64_t{0});
  return o;
}

namespace detail {

options checked(options o) {
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
