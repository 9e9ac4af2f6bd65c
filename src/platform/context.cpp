// SPDX-License-Identifier: Apache-2.0
// The context switch. Everything that a call may change is the caller's to save, so only what calls
// preserve is moved. The offsets are those of nopal::detail::context.
#include "nopal/detail/platform/context.hpp"

#include <cstddef>

using nopal::detail::context;

#if defined(__x86_64__)

static_assert(offsetof(context, sp) == 0 && offsetof(context, ip) == 8 &&
              offsetof(context, fp) == 16 && offsetof(context, preserved) == 24);

// When a strand goes on, every register that calls do not preserve is lost. With events it is lost
// for certain: a value that a compiler wrongly expects there is found at once.
#ifdef NOPAL_EVENTS
asm(R"(
.macro nopal_go_on context
    movq 8(\context), %r11
    movabsq $0x5a5a5a5a5a5a5a5a, %rcx
    movq %rcx, %rdx
    movq %rcx, %rsi
    movq %rcx, %rdi
    movq %rcx, %r8
    movq %rcx, %r9
    movq %rcx, %r10
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    pcmpeqb %xmm\n, %xmm\n
    .endr
    xorl %eax, %eax
    jmpq *%r11
.endm
)");
#else
asm(R"(
.macro nopal_go_on context
    xorl %eax, %eax
    jmpq *8(\context)
.endm
)");
#endif

asm(R"(
.macro nopal_save_context to
    movq (%rsp), %rax
    movq %rax, 8(\to)
    leaq 8(%rsp), %rax
    movq %rax, 0(\to)
    movq %rbp, 16(\to)
    movq %rbx, 24(\to)
    movq %r12, 32(\to)
    movq %r13, 40(\to)
    movq %r14, 48(\to)
    movq %r15, 56(\to)
.endm

.macro nopal_load_context from
    movq 16(\from), %rbp
    movq 24(\from), %rbx
    movq 32(\from), %r12
    movq 40(\from), %r13
    movq 48(\from), %r14
    movq 56(\from), %r15
.endm

    .text
    .p2align 4
    .globl nopal_context_switch
    .type nopal_context_switch, @function
nopal_context_switch:
    .cfi_startproc
    nopal_save_context %rdi
    movq 0(%rsi), %rsp
    nopal_load_context %rsi
    nopal_go_on %rsi
    .cfi_endproc
    .size nopal_context_switch, .-nopal_context_switch

    .p2align 4
    .globl nopal_context_switch_to_stack
    .type nopal_context_switch_to_stack, @function
nopal_context_switch_to_stack:
    .cfi_startproc
    nopal_save_context %rdi
    movq %rdx, %rsp
    nopal_load_context %rsi
    nopal_go_on %rsi
    .cfi_endproc
    .size nopal_context_switch_to_stack, .-nopal_context_switch_to_stack

    # Its return address is undefined, so that unwinders and debuggers see the outermost frame of
    # a strand.
    .p2align 4
    .globl nopal_context_call
    .type nopal_context_call, @function
nopal_context_call:
    .cfi_startproc
    .cfi_undefined rip
    nopal_save_context %rdi
    movq %rsi, %rsp
    xorl %ebp, %ebp
    movq %rcx, %rdi
    call *%rdx
    ud2
    .cfi_endproc
    .size nopal_context_call, .-nopal_context_call
)");

#elif defined(__aarch64__)

static_assert(offsetof(context, sp) == 0 && offsetof(context, ip) == 8 &&
              offsetof(context, fp) == 16 && offsetof(context, preserved) == 24 &&
              offsetof(context, preserved_d) == 104);

asm(R"(
.macro nopal_save_context to
    mov x9, sp
    stp x9, x30, [\to, #0]
    str x29, [\to, #16]
    stp x19, x20, [\to, #24]
    stp x21, x22, [\to, #40]
    stp x23, x24, [\to, #56]
    stp x25, x26, [\to, #72]
    stp x27, x28, [\to, #88]
    stp d8, d9, [\to, #104]
    stp d10, d11, [\to, #120]
    stp d12, d13, [\to, #136]
    stp d14, d15, [\to, #152]
.endm

.macro nopal_load_context from
    ldr x29, [\from, #16]
    ldp x19, x20, [\from, #24]
    ldp x21, x22, [\from, #40]
    ldp x23, x24, [\from, #56]
    ldp x25, x26, [\from, #72]
    ldp x27, x28, [\from, #88]
    ldp d8, d9, [\from, #104]
    ldp d10, d11, [\from, #120]
    ldp d12, d13, [\from, #136]
    ldp d14, d15, [\from, #152]
.endm

    .text
    .p2align 4
    .globl nopal_context_switch
    .type nopal_context_switch, %function
nopal_context_switch:
    .cfi_startproc
    nopal_save_context x0
    ldr x9, [x1, #0]
    mov sp, x9
    nopal_load_context x1
    ldr x16, [x1, #8]
    mov x0, #0
    br x16
    .cfi_endproc
    .size nopal_context_switch, .-nopal_context_switch

    .p2align 4
    .globl nopal_context_switch_to_stack
    .type nopal_context_switch_to_stack, %function
nopal_context_switch_to_stack:
    .cfi_startproc
    nopal_save_context x0
    mov sp, x2
    nopal_load_context x1
    ldr x16, [x1, #8]
    mov x0, #0
    br x16
    .cfi_endproc
    .size nopal_context_switch_to_stack, .-nopal_context_switch_to_stack

    .p2align 4
    .globl nopal_context_call
    .type nopal_context_call, %function
nopal_context_call:
    .cfi_startproc
    .cfi_undefined x30
    nopal_save_context x0
    mov sp, x1
    mov x29, #0
    mov x0, x3
    blr x2
    brk #1
    .cfi_endproc
    .size nopal_context_call, .-nopal_context_call
)");

#endif
