// SPDX-License-Identifier: Apache-2.0
// A variable of the plugin itself. g++ makes it unique in the process, unless told otherwise.
inline int one_in_the_process = 1;

extern "C" [[gnu::visibility("default")]] int own_variable() { return one_in_the_process++; }
