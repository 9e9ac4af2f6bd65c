// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

class scheduler;

/// The default runtime's, started at first use. In a child of fork(2) it is a fresh one.
scheduler& default_scheduler();

}  // namespace nopal::detail
