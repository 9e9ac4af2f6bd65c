// SPDX-License-Identifier: Apache-2.0
#pragma once

#define NOPAL_CONFIGURED_JOIN __join_locked
