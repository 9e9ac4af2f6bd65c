// SPDX-License-Identifier: Apache-2.0
// All of nopal: runtime and run, parallel_invoke, fork_frame, task, algorithms over ranges, and
// pool. See docs/guide.md.
#pragma once

#ifdef NOPAL_SERIAL
#include "nopal/serial.hpp"
#else
#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"
#include "nopal/task/allocate.hpp"
#include "nopal/task/resume_on.hpp"
#endif

#include "nopal/algorithm.hpp"
#include "nopal/pool.hpp"
