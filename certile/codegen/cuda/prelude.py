"""Device functions that a kernel's text brings along, so that it needs no header.

In: the names a kernel uses.  Out: their text, each after what it needs.  Decides how CUDA keeps the
rules that C++ leaves open: narrow floats, NaN, saturation, floors and shifts.
"""

from collections.abc import Iterable

__all__ = ["HELPERS", "prelude"]

# Conversions between f32 and the bits of the narrow floats round to nearest even, in hardware.
_NARROW = {
    "f16_load": """__device__ __forceinline__ float f16_load(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}""",
    "f16_store": """__device__ __forceinline__ unsigned short f16_store(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}""",
    "bf16_load": """__device__ __forceinline__ float bf16_load(unsigned short bits) {
  return __uint_as_float((unsigned int)bits << 16);
}""",
    "bf16_store": """__device__ __forceinline__ unsigned short bf16_store(float value) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}""",
    "f16_pair": """__device__ __forceinline__ unsigned int f16_pair(float low, float high) {
  unsigned int bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}""",
    "bf16_pair": """__device__ __forceinline__ unsigned int bf16_pair(float low, float high) {
  unsigned int bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}""",
    "f16_round": """__device__ __forceinline__ float f16_round(float value) {
  return f16_load(f16_store(value));
}""",
    "bf16_round": """__device__ __forceinline__ float bf16_round(float value) {
  return bf16_load(bf16_store(value));
}""",
    # Rounded to odd, a value rounds on to a narrower type as the exact one would.
    "f64_to_odd_f32": """__device__ __forceinline__ float f64_to_odd_f32(double value) {
  float down = __double2float_rz(value);
  bool exact = (double)down == value || value != value;
  return exact ? down : __uint_as_float(__float_as_uint(down) | 1U);
}""",
    # An i64 keeps its sign, its leading bits and whether any bit was lost.
    "i64_to_odd_f64": """__device__ __forceinline__ double i64_to_odd_f64(long long value) {
  if (value > -(1LL << 52) && value < (1LL << 52)) return (double)value;
  return (double)((value >> 20) | ((value & 0xfffffLL) != 0)) * 1048576.0;
}""",
    "u64_to_odd_f64": """__device__ __forceinline__
double u64_to_odd_f64(unsigned long long value) {
  if (value < (1ULL << 52)) return (double)value;
  return (double)((value >> 20) | ((value & 0xfffffULL) != 0)) * 1048576.0;
}""",
}

# A pack has the bytes of one of CUDA's own vector types, which the compiler loads at once.  Stores
# it takes apart and joins again only sometimes, so those are spelled as one instruction.
_MEMORY = {
    "Pack": """template <typename T, int N> struct alignas(N * sizeof(T)) Pack {
  T item[N];
};
template <int BYTES> struct Words;
template <> struct Words<2> { typedef unsigned short type; };
template <> struct Words<4> { typedef unsigned int type; };
template <> struct Words<8> { typedef uint2 type; };
template <> struct Words<16> { typedef uint4 type; };""",
    "load_pack": """template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.words = *(const typename Words<N * sizeof(T)>::type*)from;
  return both.pack;
}""",
    "store_pack": """template <typename T, int N>
__device__ __forceinline__ void store_pack(T* to, Pack<T, N> pack) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.pack = pack;
  __stwb((typename Words<N * sizeof(T)>::type*)to, both.words);
}""",
    "stream_pack": """template <typename T, int N>
__device__ __forceinline__ void stream_pack(T* to, Pack<T, N> pack) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.pack = pack;
  __stcs((typename Words<N * sizeof(T)>::type*)to, both.words);
}""",
}

# In its word an upper half stands where a float has it.
_ITEMS = {
    "bf16_item": """template <int INDEX, int N>
__device__ __forceinline__ float bf16_item(Pack<unsigned short, N> pack) {
  union { Pack<unsigned short, N> pack; unsigned int words[N / 2]; } both;
  both.pack = pack;
  unsigned int word = both.words[INDEX / 2];
  return __uint_as_float(INDEX % 2 ? word & 0xffff0000U : word << 16);
}""",
}

_FLOATS = {
    "max_nan": """template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}""",
    "min_nan": """template <typename T> __device__ __forceinline__ T min_nan(T a, T b) {
  return (a < b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float min_nan<float>(float a, float b) {
  float value;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}""",
    "sign_of": """template <typename T> __device__ __forceinline__ T sign_of(T x) {
  return x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x;
}""",
    "float_mod": """template <typename T> __device__ __forceinline__ T float_mod(T a, T b) {
  T r = fmod(a, b);
  if (r == (T)0) return copysign((T)0, b);
  return (r < (T)0) != (b < (T)0) ? r + b : r;
}""",
    "float_floordiv": """template <typename T>
__device__ __forceinline__ T float_floordiv(T a, T b) {
  if (b == (T)0) return a / b;
  T rest = fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != (T)0 && (rest < (T)0) != (b < (T)0)) quotient = quotient - (T)1;
  T whole = floor(quotient);
  return quotient - whole > (T)0.5 ? whole + (T)1 : whole;
}""",
    # Through exp(-|x|), which never overflows, so that far left the small result is kept.
    "sigmoid": """__device__ __forceinline__ float sigmoid(float x) {
  float decayed = expf(-fabsf(x));
  return (x < 0.0f ? decayed : 1.0f) / (1.0f + decayed);
}
__device__ __forceinline__ double sigmoid(double x) {
  double decayed = exp(-fabs(x));
  return (x < 0.0 ? decayed : 1.0) / (1.0 + decayed);
}""",
    "logaddexp": """__device__ __forceinline__ double logaddexp(double a, double b) {
  if (a == b) return a + 0.6931471805599453;
  double high = a > b ? a : b, low = a > b ? b : a;
  return a != a || b != b ? a + b : high + log1p(exp(low - high));
}""",
}

_INTEGERS = {
    "floor_div": """template <typename T> __device__ __forceinline__ T floor_div(T a, T b) {
  if (b == (T)0) return (T)0;
  if (b == (T)-1 && (T)-1 < (T)0) return (T)(0ULL - (unsigned long long)a);
  T quotient = a / b;
  return (T)(quotient - ((a % b != (T)0) && ((a < (T)0) != (b < (T)0))));
}""",
    "floor_mod": """template <typename T> __device__ __forceinline__ T floor_mod(T a, T b) {
  if (b == (T)0 || (b == (T)-1 && (T)-1 < (T)0)) return (T)0;
  T rest = a % b;
  return (T)((rest != (T)0 && ((rest < (T)0) != (b < (T)0))) ? rest + b : rest);
}""",
    "shift_left": """template <typename T, typename U>
__device__ __forceinline__ T shift_left(T a, T count) {
  return (U)count < (U)(8 * sizeof(T)) ? (T)((U)a << (U)count) : (T)0;
}""",
    "shift_right": """template <typename T, typename U>
__device__ __forceinline__ T shift_right(T a, T count) {
  return (U)count < (U)(8 * sizeof(T)) ? (T)(a >> count) : (T)(a < (T)0 ? -1 : 0);
}""",
}

# What saturates in hardware gives other values than 0 for NaN where 64 bits are involved.
_SATURATION = {
    "saturate": """template <typename T>
__device__ __forceinline__ T saturate(double x, double low, double past, T least, T most) {
  if (x != x) return (T)0;
  return x < low ? least : x >= past ? most : (T)x;
}""",
}

HELPERS: dict[str, str] = {**_MEMORY, **_ITEMS, **_NARROW, **_FLOATS, **_INTEGERS, **_SATURATION}

_NEEDS: dict[str, tuple[str, ...]] = {
    "load_pack": ("Pack",),
    "store_pack": ("Pack",),
    "stream_pack": ("Pack",),
    "bf16_item": ("Pack",),
    "f16_round": ("f16_load", "f16_store"),
    "bf16_round": ("bf16_load", "bf16_store"),
}


def prelude(used: Iterable[str]) -> str:
    """The text of the helpers named and of those they need, in one fixed order."""
    wanted = set(used)
    for name in tuple(wanted):
        wanted.update(_NEEDS.get(name, ()))
    return "".join(f"{text}\n\n" for name, text in HELPERS.items() if name in wanted)
