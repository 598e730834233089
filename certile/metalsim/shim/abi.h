// What the kernel's translation unit, the runtime and the Python side agree on.
//
// No header of the C or C++ library is included here: the kernel's translation unit must see
// nothing but what MSL offers, otherwise a name that Metal lacks would compile.
#pragma once

typedef __UINT8_TYPE__ msl_u8;
typedef __UINT32_TYPE__ msl_u32;
typedef __UINT64_TYPE__ msl_u64;
typedef __INT64_TYPE__ msl_i64;
typedef __UINTPTR_TYPE__ msl_word;

enum : msl_u32 {
  msl_lanes = 32,
  msl_max_threads = 1024,
  msl_max_buffers = 31,
  msl_max_findings = 256,
  msl_max_dynamic = 8,
  msl_group_limit = 32768,          // what a Metal device offers
  msl_arena_static = 3 * 32768,     // room for declared arrays and the red zones between them
  msl_arena_bytes = 4 * 32768,      // the rest holds arrays whose length the host gives
  msl_red_zone = 64,
  msl_constant_bytes = 4096,
};

// One thread's view of the launch: everything an attribute can ask for.
struct msl_thread {
  msl_u32 position_in_grid[3];
  msl_u32 position_in_group[3];
  msl_u32 group[3];
  msl_u32 threads[3];
  msl_u32 groups[3];
  msl_u32 grid[3];
  msl_u32 index;
  msl_u32 lane;
  msl_u32 simdgroup;
  msl_u32 simdgroups;
};

// A lane's operand and result in a collective; 16 bytes hold the widest vector (float4).
struct msl_slot {
  alignas(16) msl_u8 data[16];
  msl_u32 selector;
};

// Computes all results of a collective. Low half of the result: lanes that read a lane which does
// not take part. High half: 1 when an operand that must be uniform differs between the lanes.
typedef msl_u64 (*msl_combine)(const msl_slot* in, msl_slot* out, msl_u32 active,
                               const msl_u8* order);

typedef void (*msl_entry)(void* const* buffers, const msl_thread* thread);

enum : msl_u32 { msl_mem_none = 0, msl_mem_device = 1, msl_mem_threadgroup = 2 };

enum : msl_u32 {
  msl_check_bounds = 1,
  msl_check_races = 2,
  msl_plain_loop = 4,   // no collective and no barrier in reach: threads run one after the other
};

struct msl_buffer {
  void* host;
  msl_u64 bytes;
  msl_u64 offset;       // where in it the kernel's pointer begins
  msl_u32 granule;      // size of the scalars in it: the unit of race checking
  msl_u32 writable;
  msl_u32 alias;        // index of the binding that shares the memory, or its own index
  msl_u32 bound;        // 0: this index is not bound
};

struct msl_launch {
  msl_entry entry;
  msl_u8* stacks;       // from msl_reserve_stacks
  msl_u32 groups[3];
  msl_u32 threads[3];
  msl_u32 flags;
  msl_u32 padding;
  msl_u64 seed;
  msl_u64 dynamic_bytes[msl_max_dynamic];
  msl_buffer buffers[msl_max_buffers];
};

enum msl_kind : msl_u32 {
  msl_race = 1,
  msl_uninitialised = 2,
  msl_out_of_bounds = 3,
  msl_divergence = 4,
  msl_undefined = 5,
};

// What precisely was seen; the Python side turns it into a sentence.
enum msl_detail : msl_u32 {
  msl_write_write = 1,
  msl_read_write = 2,       // the earlier access reads
  msl_write_read = 3,       // the earlier access writes
  msl_read = 4,
  msl_write = 5,
  msl_wild = 6,             // far from every buffer; the run stops
  msl_index = 7,            // an index outside a declared array
  msl_misaligned_pointer = 8,
  msl_read_only = 9,
  msl_too_much_memory = 10,
  msl_collective_missing = 11,
  msl_collective_mixed = 12,
  msl_barrier_missing = 13,
  msl_barrier_mixed = 14,
  msl_inactive_source = 15,
  msl_not_uniform = 16,
  msl_shift = 17,
  msl_division = 18,        // the run stops
  msl_float_to_int = 19,
  msl_no_return = 20,
  msl_crash = 21,           // a signal; the run stops
};

struct msl_finding {
  msl_u32 kind;
  msl_u32 detail;
  msl_u32 line;
  msl_u32 other_line;
  msl_u64 place;            // offset of the code in the image; 0 when `line` says it
  msl_u64 other_place;
  msl_u32 thread;
  msl_u32 other_thread;
  msl_u32 group;            // linear index of the threadgroup
  msl_u32 other_group;
  msl_u32 lanes;
  msl_u32 missing;
  msl_u32 count;
  msl_u32 size;
  msl_i64 offset;
  char name[48];            // the buffer, array or function concerned
};

struct msl_outcome {
  msl_u64 simd_ops;
  msl_u64 barriers;
  msl_u64 simd_barriers;
  msl_u64 threadgroup_bytes;
  msl_u32 stopped;
  msl_u32 dropped;          // findings beyond the table
  msl_u32 finding_count;
  msl_u32 padding;
  msl_finding findings[msl_max_findings];
};

extern "C" {
__attribute__((visibility("hidden"))) extern msl_u8 msl_arena[msl_arena_bytes];
__attribute__((visibility("hidden"))) extern msl_u8 msl_constants[msl_constant_bytes];

__attribute__((convergent, nomerge)) void msl_collect(const void* in, void* out, msl_u32 size,
                                                      msl_u32 selector, msl_combine combine,
                                                      const char* name, msl_u32 site);
__attribute__((convergent, nomerge)) void msl_group_barrier(msl_u32 flags, msl_u32 site);
__attribute__((convergent, nomerge)) void msl_simd_barrier(msl_u32 flags, msl_u32 site);
void msl_declare(msl_u32 index, msl_u64 offset, msl_u64 bytes, msl_u64 packed_end, msl_u32 granule,
                 const char* name);
msl_u8* msl_dynamic(msl_u32 index, msl_u32 granule, const char* name);
void msl_report_misaligned(const volatile void* pointer, msl_u32 line);
}
