// SPDX-License-Identifier: Apache-2.0
// This is the serial elision: the same interface, in which every fork is a call and every join is
// nothing. If NOPAL_SERIAL is defined, each public header includes its part of this in the place of
// the parallel one. It needs no library.
#pragma once

#ifndef NOPAL_SERIAL
#error "nopal: define NOPAL_SERIAL, in the whole program or before the first header of nopal."
#include "nopal: see the error above"
#endif

#include "nopal/detail/serial/allocate.hpp"
#include "nopal/detail/serial/claim.hpp"
#include "nopal/detail/serial/countdown.hpp"
#include "nopal/detail/serial/fork_frame.hpp"
#include "nopal/detail/serial/io.hpp"
#include "nopal/detail/serial/parallel_invoke.hpp"
#include "nopal/detail/serial/pending.hpp"
#include "nopal/detail/serial/reducer.hpp"
#include "nopal/detail/serial/resume_on.hpp"
#include "nopal/detail/serial/runtime.hpp"
#include "nopal/detail/serial/stop.hpp"
#include "nopal/detail/serial/task.hpp"
#include "nopal/detail/serial/task_scope.hpp"
#include "nopal/detail/serial/worker_local.hpp"
