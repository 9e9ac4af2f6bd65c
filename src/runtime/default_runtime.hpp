// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

class scheduler;

/// The default runtime's, started at first use. In a child of fork(2) it is a fresh one. It counts
/// the caller as a call in flight, who therefore calls finished(): exit(3) ends it, and a thread
/// may come just then.
scheduler& enter_default_scheduler();

}  // namespace nopal::detail
