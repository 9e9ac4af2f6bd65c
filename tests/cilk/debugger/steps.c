/* SPDX-License-Identifier: Apache-2.0 */
/* check_debugger.py steps over the spawns, on a thread that is no worker and on a worker. */
#include <cilk/cilk.h>

int leaf(int n) { return 2 * n + 1; }

int spawns(int n) {
  int before = n + 10;
  int unused = 7;
  int a = cilk_spawn leaf(before);
  int b = leaf(n);
  int c = b + n;
  cilk_sync;
  return a + b + c;
}

int on_worker(int n) {
  int r = cilk_spawn spawns(n);
  int s = leaf(n);
  cilk_sync;
  return r + s;
}

int main(void) {
  int first = spawns(3);
  int second = on_worker(4);
  return first + second == 0;
}
