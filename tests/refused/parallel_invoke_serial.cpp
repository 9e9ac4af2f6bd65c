// SPDX-License-Identifier: Apache-2.0
#define NOPAL_SERIAL
#include "parallel_invoke.cpp"
