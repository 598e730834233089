// Fibres: one stack for each Metal thread, and the switch between two of them.
#pragma once
#include <stddef.h>
#include <sys/mman.h>

#include "abi.h"

namespace fibre {

constexpr size_t stack_bytes = 128 * 1024;
constexpr size_t guard_bytes = 16 * 1024;  // a multiple of every page size in use

// Saves the callee-saved registers on the stack in use, stores the stack pointer to *save and goes
// on at `load`. Floating-point modes are shared by all fibres and not saved.
#if defined(__x86_64__)
__attribute__((naked, noinline)) inline void switch_to(void** save, void* load) {
  asm("pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
      "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
      "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n retq");
}
constexpr int frame_words = 7;
constexpr int start_word = 6;  // where the return address lies
constexpr int shift_words = 2; // after the return the stack is 8 off a multiple of 16
#elif defined(__aarch64__)
__attribute__((naked, noinline)) inline void switch_to(void** save, void* load) {
  asm("sub sp, sp, #160\n"
      "stp x19, x20, [sp, #0]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n"
      "stp x25, x26, [sp, #48]\n stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"
      "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n"
      "stp d14, d15, [sp, #144]\n"
      "mov x9, sp\n str x9, [x0]\n mov sp, x1\n"
      "ldp x19, x20, [sp, #0]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n"
      "ldp x25, x26, [sp, #48]\n ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"
      "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n"
      "ldp d14, d15, [sp, #144]\n add sp, sp, #160\n ret");
}
constexpr int frame_words = 20;
constexpr int start_word = 11;
constexpr int shift_words = 0;
#else
#error "metalsim runs on x86-64 and aarch64"
#endif

// The stacks lie side by side; the low end of each, and what follows the last, is not accessible.
// All loaded libraries share them: the guards alone are 2048 mappings, and a process may have 65530.
inline msl_u8* stacks = nullptr;

inline msl_u8* reserve() {
  void* memory = mmap(nullptr, stack_bytes * msl_max_threads + guard_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  msl_u8* reserved = static_cast<msl_u8*>(memory);
  for (msl_u32 i = 0; i <= msl_max_threads; ++i)
    if (mprotect(reserved + i * stack_bytes, guard_bytes, PROT_NONE)) return nullptr;
  return reserved;
}

inline bool on_stack(const void* address) {
  return msl_word(address) - msl_word(stacks) < stack_bytes * msl_max_threads;
}

// Returns the stack pointer of a fibre that begins in `start` when it is first switched to.
inline void* prepare(msl_u32 index, void (*start)()) {
  void** frame = reinterpret_cast<void**>(stacks + (index + 1) * stack_bytes);
  frame -= frame_words + shift_words - shift_words / 2;
  for (int i = 0; i < frame_words; ++i) frame[i] = nullptr;
  frame[start_word] = reinterpret_cast<void*>(start);
  return frame;
}

}  // namespace fibre
