// SPDX-License-Identifier: Apache-2.0
#pragma once

#define NOPAL_CONFIGURED_DEQUE __deque_the
