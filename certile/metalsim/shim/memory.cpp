// The memory checker: guarded copies of the buffers, and what every load and store passes through.
//
// The compiler's thread sanitizer puts a call before each load and store; the functions called are
// ours. In: addresses. Out: findings. Decides what is out of bounds, unordered or never written.
// The fast build keeps the caller's memory in place and has none of this.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fibre.h"
#include "runtime.h"
#include "shadow.h"

extern "C" __attribute__((visibility("hidden"))) msl_u8 __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) msl_u8 _end;

namespace runtime {

msl_u64 place_of(const void* code) {
  msl_u64 place = msl_word(code) - msl_word(&__ehdr_start);
  return place < msl_word(&_end) - msl_word(&__ehdr_start) ? place : 0;
}

}  // namespace runtime

#if !MSL_CHECKED

namespace runtime {
bool begin_run() {
  for (msl_u32 i = 0; i < msl_max_buffers; ++i) {
    const msl_buffer& b = launch->buffers[i];
    pointers[i] = b.bound ? static_cast<msl_u8*>(b.host) + b.offset : nullptr;
  }
  return true;
}
void begin_group(msl_u32) {}
void end_run() {}
void add_shared(msl_u8*, msl_u64, msl_u32, const char*) {}
}  // namespace runtime

#else

using shadow::Cell;
using shadow::Region;
using shadow::Touch;

namespace {

constexpr msl_u64 page = 4096;
constexpr msl_u32 max_regions = 128;

Region regions[max_regions];
msl_u32 region_count;
msl_u8* heap;
msl_u64 heap_bytes;
msl_u8* page_region;              // region + 1 of each page of the heap
msl_u8 arena_region[msl_arena_bytes];
msl_u32 flags;
msl_u32* group_of_stamp;          // stamps at which threadgroups began, in order
msl_u32* group_numbers;
msl_u32 groups_begun;

msl_u64 round_up(msl_u64 value, msl_u64 unit) { return (value + unit - 1) / unit * unit; }

void* reserve(msl_u64 bytes) {
  void* memory = mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

msl_u64 cell_bytes(const Region& region) {
  return (region.bytes / region.granule + 2) * sizeof(Cell);
}

Region* add_region(msl_u8* begin, msl_u64 bytes, msl_u32 granule) {
  if (region_count == max_regions) return nullptr;
  Region& region = regions[region_count++];
  region = {};
  region.begin = begin, region.bytes = bytes, region.granule = granule ? granule : 1;
  return &region;
}

msl_u32 group_at(msl_u32 stamp) {
  msl_u32 low = 0, high = groups_begun;
  while (high - low > 1) {
    msl_u32 middle = (low + high) / 2;
    (group_of_stamp[middle] <= stamp ? low : high) = middle;
  }
  return group_numbers[low];
}

// The region whose end or beginning lies closest to a stray address.
const Region* nearest(const msl_u8* address, msl_u32 shared) {
  const Region* best = nullptr;
  msl_u64 best_distance = ~0ull;
  for (msl_u32 i = 0; i < region_count; ++i) {
    const Region& r = regions[i];
    if (r.shared != shared) continue;
    msl_u64 distance = address < r.begin ? msl_u64(r.begin - address)
                                         : msl_u64(address - r.begin) - r.bytes + 1;
    if (distance < best_distance) best_distance = distance, best = &r;
  }
  return best;
}

void report_stray(const msl_u8* address, msl_u32 size, const Region* near, void* code,
                  msl_detail detail) {
  msl_finding f = runtime::finding(msl_out_of_bounds, detail, 0);
  f.place = runtime::place_of(code);
  f.size = size;
  f.offset = near ? address - near->begin : 0;
  runtime::report(f, near ? near->name : "");
}

void report_race(const Region& region, const msl_u8* address, msl_u32 size, Touch earlier,
                 bool earlier_wrote, bool write, void* code) {
  msl_detail detail = !earlier_wrote ? msl_read_write : write ? msl_write_write : msl_write_read;
  msl_finding f = runtime::finding(msl_race, detail, 0);
  f.place = runtime::place_of(code);
  f.other_place = earlier.place_near(f.place);
  f.other_thread = earlier.thread();
  f.other_group = group_at(earlier.stamp);
  f.offset = address - region.begin;
  f.size = size;
  runtime::report(f, region.name);
}

void check_cells(Region& region, msl_u8* address, msl_u32 size, bool write, void* code) {
  msl_u64 first = msl_u64(address - region.begin) / region.granule;
  msl_u64 last = msl_u64(address - region.begin + size - 1) / region.granule;
  Touch me = {shadow::fences.now,
              shadow::where(runtime::place_of(code), runtime::current_thread())};
  for (msl_u64 i = first; i <= last; ++i) {
    Cell& cell = region.cells[i];
    if (region.shared && !write && !shadow::initialised(cell)) {
      msl_finding f = runtime::finding(msl_uninitialised, msl_read, 0);
      f.place = runtime::place_of(code);
      f.offset = msl_i64(i * region.granule), f.size = size;
      runtime::report(f, region.name);
    }
    bool earlier_wrote;
    Touch earlier = shadow::note(cell, me, write, region.shared, earlier_wrote);
    if (earlier.stamp) report_race(region, address, size, earlier, earlier_wrote, write, code);
  }
}

Region* region_of(const msl_u8* address, bool& in_arena, bool& known) {
  msl_u64 in_heap = msl_word(address) - msl_word(heap);
  msl_u64 in_shared = msl_word(address) - msl_word(msl_arena);
  in_arena = in_shared < msl_arena_bytes;
  known = in_arena || in_heap < heap_bytes;
  msl_u32 number = in_heap < heap_bytes ? page_region[in_heap / page]
                   : in_arena           ? arena_region[in_shared]
                                        : 0;
  return number ? &regions[number - 1] : nullptr;
}

bool is_private(const msl_u8* address) {
  return fibre::on_stack(address) ||
         msl_word(address) - msl_word(&__ehdr_start) < msl_word(&_end) - msl_word(&__ehdr_start);
}

// False when the access leaves its region.
bool access(void* pointer, msl_u32 size, bool write, void* code) {
  msl_u8* address = static_cast<msl_u8*>(pointer);
  bool in_arena, known;
  Region* region = region_of(address, in_arena, known);
  if (!known) {
    if (is_private(address)) return true;
    report_stray(address, size, nullptr, code, msl_wild);
    runtime::stop();
  }
  if (!region || address < region->begin || address + size > region->begin + region->bytes) {
    report_stray(address, size, region ? region : nearest(address, in_arena), code,
                 write ? msl_write : msl_read);
    return false;
  }
  if (write && !region->writable) report_stray(address, size, region, code, msl_read_only);
  if (region->tracked && flags & msl_check_races) check_cells(*region, address, size, write, code);
  return true;
}

// Of many bytes at once: no red zone is wide enough to go on after a stray one.
void access_block(void* pointer, size_t bytes, bool write, void* code) {
  if (!access(pointer, msl_u32(bytes), write, code)) runtime::stop();
}

void name_region(Region& region, const char* name) {
  strncpy(region.name, name, sizeof region.name - 1);
}

// A buffer keeps the caller's alignment up to 16, and lies between red zones of its own size.
bool place_buffers() {
  msl_u64 at[msl_max_buffers], total = page;
  for (msl_u32 i = 0; i < msl_max_buffers; ++i) {
    const msl_buffer& b = runtime::launch->buffers[i];
    at[i] = total + msl_word(b.host) % 16;
    if (b.bound && b.alias == i) total += 2 * round_up(b.bytes + 16, page) + page;
  }
  heap_bytes = total;
  heap = static_cast<msl_u8*>(reserve(heap_bytes));
  page_region = static_cast<msl_u8*>(reserve(heap_bytes / page + 1));
  if (!heap || !page_region) return false;
  for (msl_u32 i = 0; i < msl_max_buffers; ++i) {
    const msl_buffer& b = runtime::launch->buffers[i];
    runtime::pointers[i] = b.bound ? heap + at[b.alias] + b.offset : nullptr;
    if (!b.bound || b.alias != i) continue;
    Region* region = add_region(heap + at[i], b.bytes, b.granule);
    region->writable = b.writable;
    region->tracked = b.writable;
    char name[] = "buffer 00";
    name[7] = char('0' + i / 10), name[8] = char('0' + i % 10);
    name_region(*region, name);
    region->cells = region->tracked ? static_cast<Cell*>(reserve(cell_bytes(*region))) : nullptr;
    if (region->tracked && !region->cells) return false;
    memcpy(region->begin, b.host, b.bytes);
    for (msl_u64 p = at[i] / page; p <= (at[i] + (b.bytes ? b.bytes - 1 : 0)) / page; ++p)
      page_region[p] = msl_u8(region_count);
  }
  return true;
}

}  // namespace

namespace runtime {

bool begin_run() {
  flags = launch->flags;
  region_count = groups_begun = 0;
  memset(arena_region, 0, sizeof arena_region);
  shadow::fences = {};
  msl_u64 groups = msl_u64(launch->groups[0]) * launch->groups[1] * launch->groups[2];
  group_of_stamp = static_cast<msl_u32*>(reserve(groups * sizeof(msl_u32)));
  group_numbers = static_cast<msl_u32*>(reserve(groups * sizeof(msl_u32)));
  return group_of_stamp && group_numbers && place_buffers();
}

void begin_group(msl_u32 group) {
  shadow::fences.begin_group();
  group_of_stamp[groups_begun] = shadow::fences.group_start;
  group_numbers[groups_begun++] = group;
}

void end_run() {
  for (msl_u32 i = 0; i < msl_max_buffers; ++i) {
    const msl_buffer& b = launch->buffers[i];
    if (!b.bound || b.alias != i || !b.writable) continue;
    memcpy(b.host, static_cast<msl_u8*>(pointers[i]) - b.offset, b.bytes);
  }
  for (msl_u32 i = 0; i < region_count; ++i)
    if (regions[i].cells) munmap(regions[i].cells, cell_bytes(regions[i]));
  msl_u64 groups = msl_u64(launch->groups[0]) * launch->groups[1] * launch->groups[2];
  munmap(group_of_stamp, groups * sizeof(msl_u32));
  munmap(group_numbers, groups * sizeof(msl_u32));
  munmap(heap, heap_bytes);
  munmap(page_region, heap_bytes / page + 1);
}

void add_shared(msl_u8* begin, msl_u64 bytes, msl_u32 granule, const char* name) {
  if (!bytes || arena_region[begin - msl_arena]) return;
  Region* region = add_region(begin, bytes, granule);
  if (!region) return;
  region->shared = region->writable = region->tracked = 1;
  region->cells = static_cast<Cell*>(reserve(cell_bytes(*region)));
  name_region(*region, name);
  memset(arena_region + (begin - msl_arena), int(region_count), bytes);
}

}  // namespace runtime

extern "C" {

#define CODE __builtin_return_address(0)
#define ACCESS(SIZE) \
  void __tsan_read##SIZE(void* p) { access(p, SIZE, false, CODE); } \
  void __tsan_write##SIZE(void* p) { access(p, SIZE, true, CODE); } \
  void __tsan_unaligned_read##SIZE(void* p) { access(p, SIZE, false, CODE); } \
  void __tsan_unaligned_write##SIZE(void* p) { access(p, SIZE, true, CODE); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_init() {}

void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  access_block(const_cast<void*>(from), bytes, false, CODE);
  access_block(to, bytes, true, CODE);
  return memmove(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  access_block(const_cast<void*>(from), bytes, false, CODE);
  access_block(to, bytes, true, CODE);
  return memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, size_t bytes) {
  access_block(to, bytes, true, CODE);
  return memset(to, value, bytes);
}

void msl_report_misaligned(const volatile void* pointer, msl_u32 line) {
  msl_finding f = runtime::finding(msl_undefined, msl_misaligned_pointer, line);
  const msl_u8* address = static_cast<const msl_u8*>(const_cast<const void*>(pointer));
  bool in_arena, known;
  const Region* region = region_of(address, in_arena, known);
  f.offset = region ? address - region->begin : 0;
  runtime::report(f, region ? region->name : "");
}

// The undefined-behaviour sanitizer's handlers: each record begins with file, line and column.
struct Place {
  const char* file;
  msl_u32 line, column;
};
void __ubsan_handle_out_of_bounds(Place* at, msl_word index) {
  msl_finding f = runtime::finding(msl_out_of_bounds, msl_index, at->line);
  f.offset = msl_i64(index);
  runtime::report(f, "");
  // A thread's own array is not watched: an element far from it lies in somebody else's memory.
  if (index >= fibre::guard_bytes / 16) runtime::stop();
}
void __ubsan_handle_shift_out_of_bounds(Place* at, msl_word, msl_word amount) {
  msl_finding f = runtime::finding(msl_undefined, msl_shift, at->line);
  f.offset = msl_i64(amount);
  runtime::report(f, "");
}
void __ubsan_handle_float_cast_overflow(Place* at, msl_word) {
  runtime::report(runtime::finding(msl_undefined, msl_float_to_int, at->line), "");
}
void __ubsan_handle_divrem_overflow(Place* at, msl_word, msl_word) {
  runtime::report(runtime::finding(msl_undefined, msl_division, at->line), "");
  runtime::stop();
}
void __ubsan_handle_missing_return(Place* at) {
  runtime::report(runtime::finding(msl_undefined, msl_no_return, at->line), "");
  runtime::stop();
}

}

#endif
