// SPDX-License-Identifier: Apache-2.0
#include "nopal/async/current_worker.hpp"

#include "strand/strand_worker.hpp"

namespace nopal {

std::optional<unsigned> current_worker() noexcept {
  if (detail::this_worker() == nullptr) return std::nullopt;
  return detail::this_strand_worker().index;
}

}  // namespace nopal
