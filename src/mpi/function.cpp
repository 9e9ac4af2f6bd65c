// SPDX-License-Identifier: Apache-2.0
#include "nopal/mpi/function.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "nopal/mpi/error.hpp"

namespace nopal::detail::mpi {

namespace {

struct known_function {
  call_by_bytes call;
  std::string name;
};

/// The functions that ranks call, by their numbers. They are noted before main() begins.
std::map<std::uint64_t, known_function>& functions() {
  static std::map<std::uint64_t, known_function> all;
  return all;
}

}  // namespace

bool register_function(std::uint64_t number, call_by_bytes call, std::string_view name) {
  const auto [at, is_new] =
      functions().try_emplace(number, known_function{call, std::string(name)});
  if (!is_new && at->second.name != name)
    throw nopal::mpi::error("nopal: the functions '" + at->second.name + "' and '" +
                            std::string(name) + "' have the same number; rename one");
  return true;
}

bytes call_function(std::uint64_t number, const bytes& arguments) {
  const auto at = functions().find(number);
  if (at == functions().end())
    throw std::logic_error("this rank runs another program, without the function that is called");
  return at->second.call(arguments);
}

}  // namespace nopal::detail::mpi
