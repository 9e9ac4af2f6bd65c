// SPDX-License-Identifier: Apache-2.0
// The least that a program can have of nopal: a header, and nothing used of it.
#include "nopal/runtime.hpp"

int main() {}
