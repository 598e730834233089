// The runtime: runs one launch, threadgroup by threadgroup, each thread a fibre.
//
// In: a launch record. Out: an outcome record with counters and findings. Decides the schedule
// (from the seed), what completes a collective or a barrier, and how a deadlock is resolved after
// it was reported. Leaves sentences and source lines of accesses to the Python side.
#include "runtime.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "fibre.h"
#include "shadow.h"

alignas(256) msl_u8 msl_arena[msl_arena_bytes];
alignas(16) msl_u8 msl_constants[msl_constant_bytes];

namespace {

enum class State : msl_u8 { ready, collective, barrier, done };

struct Fibre {
  void* stack;
  State state;
  msl_u32 site;
  msl_u32 flags;
  const char* name;
  msl_combine combine;
  void* result;
  msl_u32 size;
  msl_thread view;
};

struct SimdGroup {
  msl_u32 present;   // lanes that exist
  msl_u32 waiting;   // lanes in a collective
  msl_slot in[msl_lanes];
  msl_slot out[msl_lanes];
};

Fibre fibres[msl_max_threads];
SimdGroup simdgroups[msl_max_threads / msl_lanes];
msl_u32 thread_count, done_count, barrier_count, group_index;
msl_u8 lane_order[msl_lanes];
Fibre* current;
Fibre* queue[msl_max_threads];
msl_u32 queue_head, queue_size;
void* scheduler_stack;
sigjmp_buf way_out;
volatile sig_atomic_t running;
msl_u64 random_state;
msl_u64 used_arena, packed_bytes;
msl_u32 declared;

msl_u32 random_below(msl_u32 limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return msl_u32((random_state >> 32) * limit >> 32);
}

template <class T> void shuffle(T* items, msl_u32 count) {
  if (!runtime::launch->seed) return;
  for (msl_u32 i = count; i > 1; --i) {
    msl_u32 j = random_below(i);
    T kept = items[i - 1];
    items[i - 1] = items[j];
    items[j] = kept;
  }
}

void make_ready(Fibre* f) {
  f->state = State::ready;
  queue[(queue_head + queue_size++) % msl_max_threads] = f;
}

Fibre* take_ready() {
  if (!queue_size) return nullptr;
  Fibre* f = queue[queue_head];
  queue_head = (queue_head + 1) % msl_max_threads;
  --queue_size;
  return f;
}

// Leaves the fibre in use for the next ready one, or for the scheduler if there is none.
void leave(void** save) {
  Fibre* next = take_ready();
  if (next == current) return;
  current = next;
  fibre::switch_to(save, next ? next->stack : scheduler_stack);
}

void fibre_main() {
  runtime::launch->entry(runtime::pointers, &current->view);
  current->state = State::done;
  ++done_count;
  void* ignored;
  leave(&ignored);
  __builtin_unreachable();
}

void loop_main() {
  for (msl_u32 i = 0; i < thread_count; ++i) {
    current = &fibres[i];
    runtime::launch->entry(runtime::pointers, &current->view);
  }
  void* ignored;
  current = nullptr;
  fibre::switch_to(&ignored, scheduler_stack);
  __builtin_unreachable();
}

SimdGroup& simdgroup_of(const Fibre* f) { return simdgroups[f->view.simdgroup]; }

void report_lanes(msl_detail detail, const Fibre* where, msl_u32 lanes, msl_u32 missing,
                  msl_u32 other_line) {
  msl_finding f = runtime::finding(msl_divergence, detail, where->site >> 10);
  f.thread = msl_u32(where - fibres);
  f.lanes = lanes, f.missing = missing, f.other_line = other_line;
  runtime::report(f, where->name);
}

void finish_collective(msl_u32 simdgroup, msl_u32 mask) {
  SimdGroup& group = simdgroups[simdgroup];
  Fibre* base = &fibres[simdgroup * msl_lanes];
  Fibre* first = base + __builtin_ctz(mask);
  if (first->combine) {
    msl_u64 bad = first->combine(group.in, group.out, mask, lane_order);
    if (bad & 0xffffffffu) report_lanes(msl_inactive_source, first, msl_u32(bad), 0, 0);
    if (bad >> 32) report_lanes(msl_not_uniform, first, mask, 0, 0);
    ++runtime::outcome->simd_ops;
  } else {
    shadow::fences.simd_barrier(simdgroup, first->flags);
    ++runtime::outcome->simd_barriers;
  }
  group.waiting &= ~mask;
  Fibre* released[msl_lanes];
  msl_u32 count = 0;
  for (msl_u32 lane = 0; lane < msl_lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    if (first->combine) memcpy(base[lane].result, group.out[lane].data, base[lane].size);
    released[count++] = base + lane;
  }
  shuffle(released, count);
  for (msl_u32 i = 0; i < count; ++i) make_ready(released[i]);
}

// Lanes of the SIMD group that wait at the same place as `f`.
msl_u32 together_with(const Fibre* f) {
  msl_u32 mask = 0, simdgroup = f->view.simdgroup;
  for (msl_u32 lane = 0; lane < msl_lanes; ++lane) {
    const Fibre& g = fibres[simdgroup * msl_lanes + lane];
    if (simdgroups[simdgroup].waiting >> lane & 1 && g.site == f->site && g.combine == f->combine)
      mask |= 1u << lane;
  }
  return mask;
}

void join_collective(msl_combine combine, const char* name, msl_u32 site) {
  SimdGroup& group = simdgroup_of(current);
  current->state = State::collective;
  current->site = site;
  current->combine = combine;
  current->name = name;
  group.waiting |= 1u << current->view.lane;
  if (group.waiting == group.present && together_with(current) == group.present)
    finish_collective(current->view.simdgroup, group.present);
  leave(&current->stack);
}

void finish_barrier(msl_u32 flags) {
  shadow::fences.group_barrier(flags);
  ++runtime::outcome->barriers;
  barrier_count = 0;
  Fibre* released[msl_max_threads];
  msl_u32 count = 0;
  for (msl_u32 i = 0; i < thread_count; ++i)
    if (fibres[i].state == State::barrier) released[count++] = &fibres[i];
  shuffle(released, count);
  for (msl_u32 i = 0; i < count; ++i) make_ready(released[i]);
}

// The line where some other thread of [begin, end) waits, 0 when the others have returned.
msl_u32 line_elsewhere(msl_u32 begin, msl_u32 end, msl_u32 site) {
  for (msl_u32 i = begin; i < end && i < thread_count; ++i)
    if (fibres[i].state != State::done && fibres[i].site != site) return fibres[i].site >> 10;
  return 0;
}

bool resolve_collective() {
  Fibre* pick = nullptr;
  for (msl_u32 i = 0; i < thread_count; ++i)
    if (fibres[i].state == State::collective && (!pick || fibres[i].site < pick->site))
      pick = &fibres[i];
  if (!pick) return false;
  msl_u32 simdgroup = pick->view.simdgroup, mask = together_with(pick);
  SimdGroup& group = simdgroups[simdgroup];
  msl_detail detail = group.waiting == mask ? msl_collective_missing : msl_collective_mixed;
  report_lanes(detail, pick, mask, group.present & ~mask,
               line_elsewhere(simdgroup * msl_lanes, (simdgroup + 1) * msl_lanes, pick->site));
  finish_collective(simdgroup, mask);
  return true;
}

bool resolve_barrier() {
  Fibre* first = nullptr;
  for (msl_u32 i = 0; i < thread_count && !first; ++i)
    if (fibres[i].state == State::barrier) first = &fibres[i];
  if (!first) return false;
  msl_u32 lanes = 0;
  for (msl_u32 i = 0; i < thread_count; ++i)
    if (fibres[i].state == State::barrier && fibres[i].view.simdgroup == first->view.simdgroup)
      lanes |= 1u << fibres[i].view.lane;
  first->name = "threadgroup_barrier";
  msl_detail detail = barrier_count == thread_count ? msl_barrier_mixed : msl_barrier_missing;
  report_lanes(detail, first, lanes, thread_count - barrier_count,
               line_elsewhere(0, thread_count, first->site));
  finish_barrier(first->flags);
  return true;
}

void run_scheduler() {
  while (true) {
    if (Fibre* next = take_ready()) {
      current = next;
      fibre::switch_to(&scheduler_stack, next->stack);
    } else if (done_count == thread_count || (!resolve_collective() && !resolve_barrier())) {
      return;
    }
  }
}

void set_views(msl_u32 linear) {
  const msl_launch& l = *runtime::launch;
  const msl_u32 group[3] = {linear % l.groups[0], linear / l.groups[0] % l.groups[1],
                            linear / l.groups[0] / l.groups[1]};
  for (msl_u32 i = 0; i < thread_count; ++i) {
    msl_thread& view = fibres[i].view;
    const msl_u32 position[3] = {i % l.threads[0], i / l.threads[0] % l.threads[1],
                                 i / l.threads[0] / l.threads[1]};
    for (int axis = 0; axis < 3; ++axis) {
      view.group[axis] = group[axis];
      view.position_in_group[axis] = position[axis];
      view.position_in_grid[axis] = group[axis] * l.threads[axis] + position[axis];
      view.threads[axis] = l.threads[axis];
      view.groups[axis] = l.groups[axis];
      view.grid[axis] = l.groups[axis] * l.threads[axis];
    }
    view.index = i, view.lane = i % msl_lanes, view.simdgroup = i / msl_lanes;
    view.simdgroups = (thread_count + msl_lanes - 1) / msl_lanes;
  }
}

void run_group(msl_u32 linear) {
  group_index = linear;
  runtime::begin_group(linear);
  set_views(linear);
  memset(msl_arena, 0xff, used_arena ? used_arena : msl_arena_static);
  memset(msl_arena + msl_arena_static, 0xff, msl_arena_bytes - msl_arena_static);
  if (runtime::launch->flags & msl_plain_loop) {
    current = &fibres[0];
    fibre::switch_to(&scheduler_stack, fibre::prepare(0, loop_main));
    return;
  }
  done_count = barrier_count = queue_head = queue_size = 0;
  for (auto& group : simdgroups) group.present = group.waiting = 0;
  Fibre* order[msl_max_threads];
  for (msl_u32 i = 0; i < thread_count; ++i) {
    fibres[i].stack = fibre::prepare(i, fibre_main);
    simdgroups[i / msl_lanes].present |= 1u << i % msl_lanes;
    order[i] = &fibres[i];
  }
  shuffle(order, thread_count);
  for (msl_u32 i = 0; i < thread_count; ++i) make_ready(order[i]);
  run_scheduler();
}

void run_groups() {
  const msl_u32* groups = runtime::launch->groups;
  msl_u32 count = groups[0] * groups[1] * groups[2];
  for (msl_u32 i = 0; i < msl_lanes; ++i) lane_order[i] = msl_u8(i);
  shuffle(lane_order, msl_lanes);
  // A seeded walk that meets each group once: any odd step over the next power of two.
  msl_u32 span = 1;
  while (span < count) span *= 2;
  msl_u32 step = runtime::launch->seed ? random_below(span) | 1 : 1;
  msl_u32 at = runtime::launch->seed ? random_below(span) : 0;
  for (msl_u32 i = 0; i < span; ++i, at = (at + step) & (span - 1))
    if (at < count) run_group(at);
}

// Where the code stood that caused the signal; unknown systems give no line.
const void* faulting_code(void* context) {
  [[maybe_unused]] const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__linux__) && defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP] + 1);
#elif defined(__linux__) && defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc + 1);
#else
  return nullptr;
#endif
}

void on_signal(int number, siginfo_t*, void* context) {
  if (!running) {
    signal(number, SIG_DFL);
    return;
  }
  msl_finding f = number == SIGFPE ? runtime::finding(msl_undefined, msl_division, 0)
                                   : runtime::finding(msl_out_of_bounds, msl_crash, 0);
  f.place = runtime::place_of(faulting_code(context));
  runtime::report(f, "");
  siglongjmp(way_out, 1);
}

struct Signals {
  static constexpr int numbers[3] = {SIGSEGV, SIGBUS, SIGFPE};
  struct sigaction before[3];
  stack_t stack_before;

  Signals() {
    static msl_u8 handler_stack[64 * 1024];
    stack_t own = {};
    own.ss_sp = handler_stack;
    own.ss_size = sizeof handler_stack;
    sigaltstack(&own, &stack_before);
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < 3; ++i) sigaction(numbers[i], &action, &before[i]);
  }
  ~Signals() {
    for (int i = 0; i < 3; ++i) sigaction(numbers[i], &before[i], nullptr);
    sigaltstack(&stack_before, nullptr);
  }
};

}  // namespace

namespace runtime {

const msl_launch* launch;
msl_outcome* outcome;
void* pointers[msl_max_buffers];

msl_u32 current_thread() { return current ? current->view.index : 0; }

msl_finding finding(msl_kind kind, msl_detail detail, msl_u32 line) {
  msl_finding f = {};
  f.kind = kind, f.detail = detail, f.line = line;
  f.thread = current_thread(), f.group = group_index, f.count = 1;
  f.lanes = 1u << f.thread % msl_lanes;
  return f;
}

void report(msl_finding f, const char* name) {
  for (msl_u32 i = 0; i < outcome->finding_count; ++i) {
    msl_finding& g = outcome->findings[i];
    if (g.kind == f.kind && g.detail == f.detail && g.line == f.line && g.place == f.place &&
        g.other_place == f.other_place && g.other_line == f.other_line) {
      // Of a divergence the first set of lanes counts, of an access every lane that makes it.
      if (f.kind != msl_divergence) g.lanes |= f.lanes;
      ++g.count;
      return;
    }
  }
  if (outcome->finding_count == msl_max_findings) {
    ++outcome->dropped;
    return;
  }
  strncpy(f.name, name, sizeof f.name - 1);
  outcome->findings[outcome->finding_count++] = f;
}

void stop() { siglongjmp(way_out, 1); }

}  // namespace runtime

extern "C" {

void msl_collect(const void* in, void* out, msl_u32 size, msl_u32 selector, msl_combine combine,
                 const char* name, msl_u32 site) {
  msl_slot& slot = simdgroup_of(current).in[current->view.lane];
  memcpy(slot.data, in, size);
  slot.selector = selector;
  current->result = out;
  current->size = size;
  join_collective(combine, name, site);
}

void msl_simd_barrier(msl_u32 flags, msl_u32 site) {
  current->flags = flags;
  join_collective(nullptr, "simdgroup_barrier", site);
}

void msl_group_barrier(msl_u32 flags, msl_u32 site) {
  current->state = State::barrier;
  current->site = site;
  current->flags = flags;
  if (++barrier_count == thread_count && !line_elsewhere(0, thread_count, site))
    finish_barrier(flags);
  leave(&current->stack);
}

void msl_declare(msl_u32 index, msl_u64 offset, msl_u64 bytes, msl_u64 packed_end, msl_u32 granule,
                 const char* name) {
  if (index < declared) return;
  msl_u64 together = packed_end;
  for (msl_u64 given : runtime::launch->dynamic_bytes) together += given;
  if (together > msl_group_limit) {
    msl_finding f = runtime::finding(msl_out_of_bounds, msl_too_much_memory, 0);
    f.place = runtime::place_of(__builtin_return_address(0));
    f.offset = msl_i64(together);
    runtime::report(f, name);
    runtime::stop();
  }
  declared = index + 1;
  used_arena = offset + bytes;
  packed_bytes = packed_end;
  runtime::add_shared(msl_arena + offset, bytes, granule, name);
}

msl_u8* msl_dynamic(msl_u32 index, msl_u32 granule, const char* name) {
  msl_u64 offset = msl_arena_static + msl_red_zone;
  for (msl_u32 i = 0; i < index; ++i)
    offset += (runtime::launch->dynamic_bytes[i] + 15) / 16 * 16 + msl_red_zone;
  runtime::add_shared(msl_arena + offset, runtime::launch->dynamic_bytes[index], granule, name);
  return msl_arena + offset;
}

__attribute__((visibility("default"))) void* msl_reserve_stacks() { return fibre::reserve(); }

__attribute__((visibility("default"))) void* msl_constant_memory() { return msl_constants; }

__attribute__((visibility("default"))) int msl_run(const msl_launch* launch, msl_outcome* outcome) {
  runtime::launch = launch;
  runtime::outcome = outcome;
  memset(outcome, 0, sizeof *outcome);
  random_state = launch->seed * 0x9e3779b97f4a7c15ull | 1;
  for (int i = 0; i < 8; ++i) random_below(2);
  thread_count = launch->threads[0] * launch->threads[1] * launch->threads[2];
  used_arena = packed_bytes = declared = 0;
  current = nullptr;
  fibre::stacks = launch->stacks;
  if (!runtime::begin_run()) return 1;
  {
    Signals signals;
    running = 1;
    if (sigsetjmp(way_out, 1) == 0) run_groups();
    else outcome->stopped = 1;
    running = 0;
  }
  outcome->threadgroup_bytes = packed_bytes;
  for (msl_u64 bytes : launch->dynamic_bytes) outcome->threadgroup_bytes += bytes;
  runtime::end_run();
  return 0;
}

}
