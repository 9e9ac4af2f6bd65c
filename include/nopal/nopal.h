// SPDX-License-Identifier: Apache-2.0
// nopal for C, and for every language that can call C. See docs/c.md.
//
// A function returns 0, or a positive number of errno.h, or NOPAL_E_EXCEPTION; nopal_last_error()
// says more. A result comes back by a pointer. A function whose answer cannot fail returns it.
#ifndef NOPAL_NOPAL_H
#define NOPAL_NOPAL_H

#include "nopal/c/claim.h"
#include "nopal/c/countdown.h"
#include "nopal/c/error.h"
#include "nopal/c/fork.h"
#include "nopal/c/io.h"
#include "nopal/c/pool.h"
#include "nopal/c/runtime.h"
#include "nopal/c/scope.h"
#include "nopal/c/worker_local.h"

#endif
