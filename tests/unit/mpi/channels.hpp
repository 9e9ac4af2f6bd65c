// SPDX-License-Identifier: Apache-2.0
// What the sources of test_mpi_channels share.
#pragma once

#include <optional>
#include <type_traits>

#include "nopal/mpi.hpp"

namespace nopal_test {

inline nopal::mpi::world* all = nullptr;

inline int last_rank() { return all->size() - 1; }

/// Sends an element.
template <class T>
bool sent(nopal::mpi::channel<T>& c, const std::type_identity_t<T>& v) {
  return c.send(v);
}
/// Receives an element.
template <class T>
std::optional<T> received(nopal::mpi::channel<T>& c) {
  return c.receive();
}

/// Whether those go on who wait at a channel when the world ends. Collective.
bool goes_on_when_the_world_ends(std::optional<nopal::mpi::world>& world);

}  // namespace nopal_test
