// The functions of <metal_stdlib> in the subset, for both modes.
//
// MSL_BODY(...) is a body in run mode and a semicolon in check mode. Overload sets follow MSL: a
// call that Metal finds ambiguous, such as exp(1) or max(x, 0), finds no function here either.
#pragma once

namespace metal {

template <class V> concept msl_float_like =
    __is_same(typename msl_traits<V>::scalar, half) || __is_same(typename msl_traits<V>::scalar, float);
template <class V> concept msl_small_int =
    __is_same(typename msl_traits<V>::scalar, char) || __is_same(typename msl_traits<V>::scalar, uchar) ||
    __is_same(typename msl_traits<V>::scalar, short) || __is_same(typename msl_traits<V>::scalar, ushort) ||
    __is_same(typename msl_traits<V>::scalar, int) || __is_same(typename msl_traits<V>::scalar, uint);
template <class V> concept msl_int_like =
    msl_small_int<V> || __is_same(typename msl_traits<V>::scalar, long) ||
    __is_same(typename msl_traits<V>::scalar, ulong);
template <class V> concept msl_float_scalar = msl_float_like<V> && msl_traits<V>::components == 1;
template <class V> concept msl_any_scalar = msl_traits<V>::components == 1;
// What a SIMD group exchanges: no bool and no 64-bit type (shuffle those as uint2).
template <class V> concept msl_lane_data = msl_float_like<V> || msl_small_int<V>;

#ifndef MSL_CHECK
template <class V, class F> MSL_INLINE V msl_map(V x, F f) {
  using S = typename msl_traits<V>::scalar;
  if constexpr (msl_traits<V>::components == 1) return S(f(x));
  else {
    V r;
    for (int i = 0; i < msl_traits<V>::components; ++i) r.set(i, S(f(x.get(i))));
    return r;
  }
}
template <class V, class F> MSL_INLINE V msl_map(V x, V y, F f) {
  using S = typename msl_traits<V>::scalar;
  if constexpr (msl_traits<V>::components == 1) return S(f(x, y));
  else {
    V r;
    for (int i = 0; i < msl_traits<V>::components; ++i) r.set(i, S(f(x.get(i), y.get(i))));
    return r;
  }
}
#endif

#define MSL_ONE(NAME, EXPRESSION) \
  template <msl_float_like V> MSL_INLINE V NAME(V x) MSL_BODY( \
      return msl_map(x, [](float v) __attribute__((always_inline, nodebug)) { return float(EXPRESSION); });)
#define MSL_TWO(NAME, EXPRESSION) \
  template <msl_float_like V> MSL_INLINE V NAME(V x, V y) MSL_BODY( \
      return msl_map(x, y, [](float v, float w) __attribute__((always_inline, nodebug)) { return float(EXPRESSION); });)

MSL_ONE(exp, __builtin_expf(v))
MSL_ONE(exp2, __builtin_exp2f(v))
MSL_ONE(exp10, __builtin_pow(10.0, double(v)))
MSL_ONE(log, __builtin_logf(v))
MSL_ONE(log2, __builtin_log2f(v))
MSL_ONE(log10, __builtin_log10f(v))
MSL_ONE(sqrt, __builtin_sqrtf(v))
MSL_ONE(rsqrt, 1.0 / __builtin_sqrt(double(v)))
MSL_ONE(sin, __builtin_sinf(v))
MSL_ONE(cos, __builtin_cosf(v))
MSL_ONE(tan, __builtin_tanf(v))
MSL_ONE(asin, __builtin_asinf(v))
MSL_ONE(acos, __builtin_acosf(v))
MSL_ONE(atan, __builtin_atanf(v))
MSL_ONE(sinh, __builtin_sinhf(v))
MSL_ONE(cosh, __builtin_coshf(v))
MSL_ONE(tanh, __builtin_tanhf(v))
MSL_ONE(floor, __builtin_floorf(v))
MSL_ONE(ceil, __builtin_ceilf(v))
MSL_ONE(trunc, __builtin_truncf(v))
MSL_ONE(rint, __builtin_rintf(v))
MSL_ONE(round, __builtin_roundf(v))
MSL_ONE(fabs, __builtin_fabsf(v))
MSL_ONE(sign, v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : v == 0.0f ? v : 0.0f)
MSL_TWO(pow, __builtin_powf(v, w))
MSL_TWO(atan2, __builtin_atan2f(v, w))
MSL_TWO(fmod, __builtin_fmodf(v, w))
MSL_TWO(fmin, __builtin_fminf(v, w))
MSL_TWO(fmax, __builtin_fmaxf(v, w))
MSL_TWO(copysign, __builtin_copysignf(v, w))
MSL_TWO(divide, v / w)
// On floats, min and max are fmin and fmax: a NaN gives way to a number.
MSL_TWO(min, __builtin_fminf(v, w))
MSL_TWO(max, __builtin_fmaxf(v, w))
template <msl_float_like V> MSL_INLINE V abs(V x) MSL_BODY(return fabs(x);)
template <msl_float_like V> MSL_INLINE V clamp(V x, V low, V high) MSL_BODY(return fmin(fmax(x, low), high);)

namespace precise {
using metal::exp; using metal::exp2; using metal::exp10; using metal::log; using metal::log2;
using metal::log10; using metal::sqrt; using metal::rsqrt; using metal::sin; using metal::cos;
using metal::tan; using metal::asin; using metal::acos; using metal::atan; using metal::atan2;
using metal::sinh; using metal::cosh; using metal::tanh; using metal::floor; using metal::ceil;
using metal::trunc; using metal::rint; using metal::round; using metal::fabs; using metal::pow;
using metal::fmod; using metal::fmin; using metal::fmax; using metal::divide; using metal::abs;
using metal::min; using metal::max; using metal::clamp; using metal::sign;
}  // namespace precise
namespace fast = precise;

// One rounding: only float, because a fused half operation has no exact stand-in here.
MSL_INLINE float fma(float a, float b, float c) MSL_BODY(return __builtin_fmaf(a, b, c);)
// In double the product is exact, so the one rounding is that to float; beyond 500 nothing changes.
MSL_INLINE float ldexp(float x, int e) MSL_BODY(
    ulong held = ulong((e < -500 ? -500 : e > 500 ? 500 : e) + 1023);
    return float(double(x) * __builtin_bit_cast(double, held << 52));)

template <msl_float_scalar V> MSL_INLINE bool isnan(V x) MSL_BODY(return __builtin_isnan(float(x));)
template <msl_float_scalar V> MSL_INLINE bool isinf(V x) MSL_BODY(return __builtin_isinf(float(x));)
template <msl_float_scalar V> MSL_INLINE bool isfinite(V x) MSL_BODY(return __builtin_isfinite(float(x));)
template <msl_float_scalar V> MSL_INLINE bool signbit(V x) MSL_BODY(return __builtin_signbit(float(x)) != 0;)
template <msl_any_scalar V> MSL_INLINE V select(V if_false, V if_true, bool condition)
    MSL_BODY(return condition ? if_true : if_false;)
// The condition of vectors is what a comparison of them gives.
#ifdef MSL_CHECK
template <class V, class C>
  requires(msl_traits<V>::components > 1 && msl_int_like<C> &&
           msl_traits<C>::components == msl_traits<V>::components)
V select(V if_false, V if_true, C condition);
#else
template <class T, int N> MSL_INLINE vec<T, N> select(vec<T, N> if_false, vec<T, N> if_true, vec<bool, N> condition) {
  vec<T, N> r;
  for (int i = 0; i < N; ++i) r.set(i, condition.get(i) ? if_true.get(i) : if_false.get(i));
  return r;
}
#endif

#define MSL_INT(NAME, PARAMETERS, EXPRESSION) \
  template <msl_int_like V> MSL_INLINE V NAME PARAMETERS MSL_BODY( \
      using S [[maybe_unused]] = typename msl_traits<V>::scalar; return EXPRESSION;)
MSL_INT(abs, (V x), msl_map(x, [](S v) { return S(v < S(0) ? S(0) - v : v); }))
MSL_INT(min, (V x, V y), msl_map(x, y, [](S v, S w) { return w < v ? w : v; }))
MSL_INT(max, (V x, V y), msl_map(x, y, [](S v, S w) { return v < w ? w : v; }))
MSL_INT(clamp, (V x, V low, V high), min(max(x, low), high))
MSL_INT(popcount, (V x), msl_map(x, [](S v) {
  return S(__builtin_popcountll((ulong)v & (~0ul >> (64 - 8 * sizeof(S))))); }))
MSL_INT(ctz, (V x), msl_map(x, [](S v) {
  return S(v == 0 ? 8 * sizeof(S) : (unsigned long)__builtin_ctzll((ulong)v)); }))
MSL_INT(clz, (V x), msl_map(x, [](S v) {
  ulong u = (ulong)v & (~0ul >> (64 - 8 * sizeof(S)));
  return S(u == 0 ? 8 * sizeof(S) : __builtin_clzll(u) - (64 - 8 * sizeof(S))); }))
MSL_INLINE int mulhi(int a, int b) MSL_BODY(return int(long(a) * long(b) >> 32);)
MSL_INLINE uint mulhi(uint a, uint b) MSL_BODY(return uint(ulong(a) * ulong(b) >> 32);)

template <class To, class From>
  requires(sizeof(To) == sizeof(From))
MSL_INLINE To as_type(From x) MSL_BODY(return __builtin_bit_cast(To, x);)

enum class mem_flags : uint { mem_none = 0, mem_device = 1, mem_threadgroup = 2 };
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(uint(a) | uint(b)); }

#define MSL_SITE uint site = (uint(__builtin_LINE()) << 10 | (__builtin_COLUMN() & 1023))

MSL_INLINE void threadgroup_barrier(mem_flags flags, MSL_SITE) MSL_BODY(msl_group_barrier(uint(flags), site);)
MSL_INLINE void simdgroup_barrier(mem_flags flags, MSL_SITE) MSL_BODY(msl_simd_barrier(uint(flags), site);)

#ifndef MSL_CHECK
template <class V> MSL_INLINE V msl_exchange(V x, uint selector, msl_combine combine, const char* name, uint site) {
  V result;
  msl_collect(&x, &result, sizeof(V), selector, combine, name, site);
  return result;
}
// These run inside the runtime, on its own memory: they must not be watched as kernel code.
#define MSL_UNWATCHED __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined"), nodebug))
template <class V> MSL_UNWATCHED V msl_get(const msl_slot& s) { V v; __builtin_memcpy(&v, s.data, sizeof v); return v; }
template <class V> MSL_UNWATCHED void msl_put(msl_slot& s, V v) { __builtin_memcpy(s.data, &v, sizeof v); }

// A pairwise tree over the active lanes; the order of the leaves is the run's choice.
template <class V, class F> MSL_UNWATCHED msl_u64 msl_reduce(const msl_slot* in, msl_slot* out, msl_u32 active, const msl_u8* order) {
  V value[32];
  int count = 0;
  for (int i = 0; i < 32; ++i)
    if (active >> order[i] & 1) value[count++] = msl_get<V>(in[order[i]]);
  while (count > 1) {
    int half_way = 0;
    for (int i = 0; i < count; i += 2) value[half_way++] = i + 1 < count ? F::merge(value[i], value[i + 1]) : value[i];
    count = half_way;
  }
  for (int i = 0; i < 32; ++i)
    if (active >> i & 1) msl_put(out[i], value[0]);
  return 0;
}
template <class V, class F, bool inclusive> MSL_UNWATCHED msl_u64 msl_prefix(const msl_slot* in, msl_slot* out, msl_u32 active, const msl_u8*) {
  V sum = F::template identity<V>();
  for (int i = 0; i < 32; ++i) {
    if (!(active >> i & 1)) continue;
    V next = F::merge(sum, msl_get<V>(in[i]));
    msl_put(out[i], inclusive ? next : sum);
    sum = next;
  }
  return 0;
}
enum msl_route { msl_to_lane, msl_by_xor, msl_from_above, msl_from_below, msl_from_first };
template <class V, msl_route route, bool uniform> MSL_UNWATCHED msl_u64 msl_move(const msl_slot* in, msl_slot* out, msl_u32 active, const msl_u8*) {
  msl_u64 bad = 0;
  uint first = __builtin_ctz(active), mixed = 0;
  for (uint i = 0; i < 32; ++i) {
    if (!(active >> i & 1)) continue;
    uint s = in[i].selector, from = s;
    if (uniform && s != in[first].selector) mixed = 1;
    if (route == msl_by_xor) from = i ^ s;
    if (route == msl_from_above) from = i + s < 32 ? i + s : i;
    if (route == msl_from_below) from = s <= i ? i - s : i;
    if (route == msl_from_first) from = first;
    if (from > 31 || !(active >> from & 1)) { bad |= 1ull << i; from = i; }
    msl_put(out[i], msl_get<V>(in[from]));
  }
  return bad | msl_u64(mixed) << 32;
}
struct msl_sum {
  template <class V> static MSL_UNWATCHED V merge(V a, V b) { return V(a + b); }
  template <class V> static MSL_UNWATCHED V identity() { return V(typename msl_traits<V>::scalar(0)); }
};
struct msl_product {
  template <class V> static MSL_UNWATCHED V merge(V a, V b) { return V(a * b); }
  template <class V> static MSL_UNWATCHED V identity() { return V(typename msl_traits<V>::scalar(1)); }
};
struct msl_max { template <class V> static MSL_UNWATCHED V merge(V a, V b) { return metal::max(a, b); } };
struct msl_min { template <class V> static MSL_UNWATCHED V merge(V a, V b) { return metal::min(a, b); } };
struct msl_and { template <class V> static MSL_UNWATCHED V merge(V a, V b) { return V(a & b); } };
struct msl_or { template <class V> static MSL_UNWATCHED V merge(V a, V b) { return V(a | b); } };
struct msl_xor { template <class V> static MSL_UNWATCHED V merge(V a, V b) { return V(a ^ b); } };
#define MSL_BALLOT(EXPRESSION) \
  ([](const msl_slot* in, msl_slot* out, msl_u32 active, const msl_u8*) MSL_UNWATCHED -> msl_u64 { \
    msl_u32 votes = 0; \
    for (int i = 0; i < 32; ++i) if (active >> i & 1) votes |= msl_u32(msl_get<uint>(in[i]) != 0) << i; \
    for (int i = 0; i < 32; ++i) if (active >> i & 1) msl_put<uint>(out[i], EXPRESSION); \
    return 0; })
#endif

#define MSL_REDUCTION(NAME, CONCEPT, LAW) \
  template <CONCEPT V> MSL_INLINE V NAME(V x, MSL_SITE) MSL_BODY( \
      return msl_exchange(x, 0, &msl_reduce<V, LAW>, #NAME, site);)
MSL_REDUCTION(simd_sum, msl_lane_data, msl_sum)
MSL_REDUCTION(simd_product, msl_lane_data, msl_product)
// As on the device, a NaN gives way to a number here too.
MSL_REDUCTION(simd_max, msl_lane_data, msl_max)
MSL_REDUCTION(simd_min, msl_lane_data, msl_min)
MSL_REDUCTION(simd_and, msl_small_int, msl_and)
MSL_REDUCTION(simd_or, msl_small_int, msl_or)
MSL_REDUCTION(simd_xor, msl_small_int, msl_xor)
#define MSL_PREFIX(NAME, LAW, INCLUSIVE) \
  template <msl_lane_data V> MSL_INLINE V NAME(V x, MSL_SITE) MSL_BODY( \
      return msl_exchange(x, 0, &msl_prefix<V, LAW, INCLUSIVE>, #NAME, site);)
MSL_PREFIX(simd_prefix_inclusive_sum, msl_sum, true)
MSL_PREFIX(simd_prefix_exclusive_sum, msl_sum, false)
MSL_PREFIX(simd_prefix_inclusive_product, msl_product, true)
MSL_PREFIX(simd_prefix_exclusive_product, msl_product, false)
#define MSL_MOVE(NAME, ROUTE, UNIFORM) \
  template <msl_lane_data V> MSL_INLINE V NAME(V x, ushort selector, MSL_SITE) MSL_BODY( \
      return msl_exchange(x, selector, &msl_move<V, ROUTE, UNIFORM>, #NAME, site);)
MSL_MOVE(simd_shuffle, msl_to_lane, false)
MSL_MOVE(simd_shuffle_xor, msl_by_xor, true)
MSL_MOVE(simd_shuffle_down, msl_from_above, true)
MSL_MOVE(simd_shuffle_up, msl_from_below, true)
MSL_MOVE(simd_broadcast, msl_to_lane, true)
template <msl_lane_data V> MSL_INLINE V simd_broadcast_first(V x, MSL_SITE) MSL_BODY(
    return msl_exchange(x, 0, &msl_move<V, msl_from_first, false>, "simd_broadcast_first", site);)

MSL_INLINE bool simd_any(bool x, MSL_SITE) MSL_BODY(
    return msl_exchange(uint(x), 0, MSL_BALLOT(votes != 0), "simd_any", site) != 0;)
MSL_INLINE bool simd_all(bool x, MSL_SITE) MSL_BODY(
    return msl_exchange(uint(x), 0, MSL_BALLOT(votes == active), "simd_all", site) != 0;)

class simd_vote {
 public:
  typedef ulong vote_t;
  explicit MSL_INLINE simd_vote(vote_t votes) MSL_BODY(mask = votes;)
  explicit MSL_INLINE operator vote_t() const MSL_BODY(return mask;)
  MSL_INLINE bool any() const MSL_BODY(return mask != 0;)
  MSL_INLINE bool all() const MSL_BODY(return (mask & 0xffffffffu) == 0xffffffffu;)

 private:
  [[maybe_unused]] vote_t mask;
};
MSL_INLINE simd_vote simd_ballot(bool x, MSL_SITE) MSL_BODY(
    return simd_vote(msl_exchange(uint(x), 0, MSL_BALLOT(votes), "simd_ballot", site));)

}  // namespace metal

#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_huge_valf()
#define FLT_MAX 0x1.fffffep+127f
#define FLT_MIN 0x1p-126f
#define FLT_EPSILON 0x1p-23f
#define M_PI_F 3.14159265358979323846f
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1l)
