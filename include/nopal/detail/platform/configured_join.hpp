// SPDX-License-Identifier: Apache-2.0
// The joins' part of the name of the configuration. It is found by the same include path as the
// word of the joins.
#pragma once

#define NOPAL_CONFIGURED_JOIN __join_waitfree
