// SPDX-License-Identifier: Apache-2.0
// The deque's part of the name of the configuration. It is found by the same include path as the
// deque.
#pragma once

#define NOPAL_CONFIGURED_DEQUE __deque_asymmetric
