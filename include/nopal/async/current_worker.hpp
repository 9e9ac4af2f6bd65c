// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/worker_local.hpp"
#else

#include <optional>

#include "nopal/detail/platform/configuration.hpp"

namespace nopal {

/// The index of the calling worker in its runtime, from 0; nothing on a thread that is no worker.
/// A strand may be on another worker after each fork, join and wait.
/// \code
/// bool on_a_worker = nopal::run([] { return nopal::current_worker().has_value(); });
/// \endcode
///
/// Thread-safety: any thread may call it at any time.
/// Complexity: a load.
[[nodiscard]] std::optional<unsigned> current_worker() noexcept;

}  // namespace nopal

#endif
