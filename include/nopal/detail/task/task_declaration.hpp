// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal {

template <class T = void>
class
// clang++ returns a task in a register, which is no place in the frame of the parent. g++ has no
// such convention. So clang++ gives functions that return a task other names, and a program that
// declares one for the one compiler and defines it by the other does not link.
#ifdef __clang__
    [[gnu::abi_tag("in_a_register")]]
#endif
    task;

}  // namespace nopal
