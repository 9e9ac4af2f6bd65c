// SPDX-License-Identifier: Apache-2.0
// What runs while the system refuses things. Each program uses some components in all their ways,
// and returns whether its results are right. It may throw what nopal's functions throw instead.
#pragma once

namespace nopal_test {

/// Forks by each front end, on workers and on a thread that lends its stack; algorithms; reducers.
bool forks();
/// Functions of scopes, countdowns, claims, runtimes that come and go, transactions, a pool.
bool waits();
/// Input and output: of pipes, sockets and files, by time, and by helper threads.
bool calls();

}  // namespace nopal_test
