// What the scheduler (runtime.cpp) and the memory checker (memory.cpp) know of each other.
#pragma once
#include "abi.h"

namespace runtime {

extern const msl_launch* launch;
extern msl_outcome* outcome;
extern void* pointers[msl_max_buffers];

msl_u32 current_thread();
void report(msl_finding finding, const char* name);
msl_finding finding(msl_kind kind, msl_detail detail, msl_u32 line);  // by the thread in use
[[noreturn]] void stop();

// The memory checker. The fast build has empty ones.
bool begin_run();
void begin_group(msl_u32 group);
void end_run();
void add_shared(msl_u8* begin, msl_u64 bytes, msl_u32 granule, const char* name);
msl_u64 place_of(const void* code);

}  // namespace runtime
