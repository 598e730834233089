// Shadow memory: who touched each scalar last, and whether two touches were ordered.
//
// Time is one counter that every completed barrier advances. An access is ordered before the one
// at hand when a barrier with the right flag lies between them: a threadgroup barrier for all
// threads of the group, a SIMD-group barrier for the lanes of one SIMD group. Nothing orders two
// threadgroups.
//
// A cell keeps the last writer and up to four readers. Those suffice for an exact answer: a write
// conflicts with some reader if and only if it conflicts with one of: two lanes of one SIMD group
// (`reader`, `peer`), one thread of another SIMD group (`rival`), one of an earlier threadgroup
// (`past`).
#pragma once
#include "abi.h"

namespace shadow {

constexpr msl_u32 thread_bits = 10;
constexpr msl_u64 place_span = 1u << (32 - thread_bits);

inline msl_u32 where(msl_u64 place, msl_u32 thread) {
  return msl_u32(place % place_span) << thread_bits | thread;
}

struct Touch {
  msl_u32 stamp;  // 0: none
  msl_u32 where;  // the low bits of the place in the image, then the thread
  msl_u32 thread() const { return where & ((1u << thread_bits) - 1); }
  msl_u32 simdgroup() const { return thread() / msl_lanes; }
  // The place with these low bits that is nearest to `other`: one kernel's code lies together.
  msl_u64 place_near(msl_u64 other) const {
    msl_u64 low = where >> thread_bits, place = other / place_span * place_span + low;
    if (place > other + place_span / 2) return place < place_span ? place : place - place_span;
    return place + place_span / 2 < other ? place + place_span : place;
  }
};

struct Cell {
  Touch writer, reader, peer, rival, past;
};

// When each kind of memory was last ordered.
struct Fences {
  msl_u32 now = 1;
  msl_u32 group_start = 1;
  msl_u32 group[2] = {1, 1};                                // [device, threadgroup]
  msl_u32 simd[2][msl_max_threads / msl_lanes] = {};

  void begin_group() {
    group_start = group[0] = group[1] = ++now;
    for (auto& kind : simd)
      for (auto& stamp : kind) stamp = now;
  }
  void group_barrier(msl_u32 flags) {
    ++now;
    if (flags & msl_mem_device) group[0] = now;
    if (flags & msl_mem_threadgroup) group[1] = now;
  }
  void simd_barrier(msl_u32 simdgroup, msl_u32 flags) {
    ++now;
    if (flags & msl_mem_device) simd[0][simdgroup] = now;
    if (flags & msl_mem_threadgroup) simd[1][simdgroup] = now;
  }
};

struct Region {
  msl_u8* begin;
  msl_u64 bytes;
  msl_u32 granule;
  msl_u32 shared;    // 1: threadgroup memory, 0: device memory
  msl_u32 writable;
  msl_u32 tracked;   // 0: nobody writes it, so no access can race
  Cell* cells;
  char name[48];
};

inline Fences fences;

inline bool in_this_group(Touch t) { return t.stamp >= fences.group_start; }

inline bool ordered(Touch t, msl_u32 thread, msl_u32 shared) {
  if (t.thread() == thread || t.stamp < fences.group[shared]) return true;
  msl_u32 mine = thread / msl_lanes;
  return t.simdgroup() == mine && t.stamp < fences.simd[shared][mine];
}

inline bool conflicts(Touch t, msl_u32 thread, msl_u32 shared) {
  if (t.stamp == 0) return false;
  if (!in_this_group(t)) return !shared;
  return !ordered(t, thread, shared);
}

inline void forget_ordered_readers(Cell& cell, msl_u32 shared) {
  if (!shared && cell.reader.stamp && !in_this_group(cell.reader)) cell.past = cell.reader;
  if (cell.reader.stamp && cell.reader.stamp < fences.group[shared]) cell.reader = cell.peer = {};
  if (cell.rival.stamp && cell.rival.stamp < fences.group[shared]) cell.rival = {};
  if (!cell.reader.stamp && cell.rival.stamp) {
    cell.reader = cell.rival;
    cell.rival = {};
  }
}

inline void note_reader(Cell& cell, Touch me, msl_u32 shared) {
  forget_ordered_readers(cell, shared);
  Touch first = cell.reader;
  if (!first.stamp || first.thread() == me.thread()) {
    cell.reader = me;
  } else if (first.simdgroup() != me.simdgroup()) {
    cell.rival = me;
  } else if (ordered(first, me.thread(), shared)) {
    cell.reader = me;
    cell.peer = {};
  } else {
    cell.peer = me;
  }
}

// The earlier touch that this access races with, or one without a stamp.
inline Touch note(Cell& cell, Touch me, bool write, msl_u32 shared, bool& earlier_wrote) {
  Touch found = {};
  earlier_wrote = conflicts(cell.writer, me.thread(), shared);
  if (earlier_wrote) found = cell.writer;
  if (!write) {
    note_reader(cell, me, shared);
    return found;
  }
  const Touch readers[] = {cell.reader, cell.peer, cell.rival, cell.past};
  for (Touch t : readers)
    if (!found.stamp && conflicts(t, me.thread(), shared)) found = t;
  cell = {};
  cell.writer = me;
  return found;
}

inline bool initialised(const Cell& cell) { return cell.writer.stamp >= fences.group_start; }

}  // namespace shadow
