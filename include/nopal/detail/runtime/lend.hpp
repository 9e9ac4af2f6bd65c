// SPDX-License-Identifier: Apache-2.0
// A fork_frame on a thread that is no worker comes to the default runtime by these functions, on
// the stack of its thread.
#pragma once

namespace nopal::detail {

/// What runs on a stack that a thread lends: the thread itself as a guest, if it can be one, or a
/// worker.
enum class lend_to { guest, worker };

/// Carries a thread that is no worker over to the default runtime: returns as a guest of it or on
/// one of its workers, on the same stack.
/// \throws what starting the default runtime does.
void enter_default_runtime(lend_to to);

/// Goes back. It is called on the stack that entered, and returns on the thread of that stack.
void leave_default_runtime() noexcept;

}  // namespace nopal::detail
