// SPDX-License-Identifier: Apache-2.0
// The function that deque_asymmetric::push_aside() jumps to.
#include "nopal/detail/deque/deque_asymmetric.hpp"

#if defined(__x86_64__)

using nopal::detail::continuation;
using nopal::detail::deque_asymmetric;

extern "C" {

__attribute__((visibility("hidden"), used)) std::int64_t nopal_push_slowly(
    deque_asymmetric* d, continuation* c) noexcept {
  return d->push_slowly(c);
}

/// Whether there are registers that g++ does not let a statement name unless the whole file is
/// compiled for AVX-512. A function with an attribute may use them even so.
__attribute__((visibility("hidden"), used)) bool nopal_has_avx512 = false;
}

namespace {

__attribute__((constructor(101))) void find_avx512() {
  __builtin_cpu_init();
  nopal_has_avx512 = __builtin_cpu_supports("avx512f") != 0;
}

}  // namespace

// nopal_push_aside returns to the code of push_aside(), by r11. It goes below the caller's red
// zone, and preserves all general registers but rax, r10 and r11, and the mask registers and zmm16
// to zmm31 of AVX-512, which xsave knows as components 5 and 7. The area of xsave in its standard
// format has less than 2,752 bytes up to these, and a header at 512, which has to be zero.
asm(R"(
    .pushsection .text
    .p2align 4
    .globl nopal_push_aside
    .type nopal_push_aside, @function
nopal_push_aside:
    .cfi_startproc
    .cfi_def_cfa_offset 0
    .cfi_register rip, r11
    endbr64
    leaq -128(%rsp), %rsp
    .cfi_def_cfa_offset 128
    pushq %r11
    .cfi_def_cfa_offset 136
    .cfi_offset rip, -136
    pushq %rbp
    .cfi_def_cfa_offset 144
    .cfi_offset rbp, -144
    movq %rsp, %rbp
    .cfi_def_cfa_register rbp
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    andq $-64, %rsp
    cmpb $0, nopal_has_avx512(%rip)
    jne 1f
    call nopal_push_slowly
    jmp 2f
1:
    subq $2752, %rsp
    xorl %eax, %eax
    .irp n, 512, 520, 528, 536, 544, 552, 560, 568
    movq %rax, \n(%rsp)
    .endr
    movl $0xa0, %eax
    xorl %edx, %edx
    xsave64 (%rsp)
    call nopal_push_slowly
    movq %rax, %r10
    movl $0xa0, %eax
    xorl %edx, %edx
    xrstor64 (%rsp)
    movq %r10, %rax
2:
    movq -8(%rbp), %rcx
    movq -16(%rbp), %rdx
    movq -24(%rbp), %rsi
    movq -32(%rbp), %rdi
    movq -40(%rbp), %r8
    movq -48(%rbp), %r9
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa rsp, 136
    .cfi_restore rbp
    popq %r11
    .cfi_def_cfa_offset 128
    .cfi_register rip, r11
    leaq 128(%rsp), %rsp
    .cfi_def_cfa_offset 0
    notrack jmp *%r11
    .cfi_endproc
    .size nopal_push_aside, .-nopal_push_aside
    .popsection
)");

#endif
