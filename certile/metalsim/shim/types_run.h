// The types of MSL for execution: address spaces erased, classes with exact rounding.
//
// half and bfloat are classes: every operation rounds to the type, and the conversions do not
// depend on what the compiler's support library holds.
#pragma once
#include "abi.h"

#define MSL_BODY(...) { __VA_ARGS__ }
// nodebug: an access inside the shim is reported at the line of the kernel that caused it.
#define MSL_INLINE inline __attribute__((always_inline, nodebug))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;

MSL_INLINE uint msl_bits(float x) { return __builtin_bit_cast(uint, x); }
MSL_INLINE float msl_from_bits(uint x) { return __builtin_bit_cast(float, x); }

MSL_INLINE float msl_half_to_float(ushort h) {
  uint sign = uint(h & 0x8000u) << 16, exponent = (h >> 10) & 31u, fraction = h & 1023u;
  if (exponent == 31) return msl_from_bits(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    float magnitude = float(fraction) * 0x1p-24f;
    return msl_from_bits(sign | msl_bits(magnitude));
  }
  return msl_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

// Round to nearest even; a NaN keeps its sign and its upper payload and becomes quiet.
MSL_INLINE ushort msl_float_to_half(float x) {
  uint bits = msl_bits(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return ushort(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x477ff000u) return ushort(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Adding 0.5 places the last bit of a subnormal half at the last bit of the sum.
    float moved = msl_from_bits(magnitude) + 0.5f;
    return ushort(sign | (msl_bits(moved) - 0x3f000000u));
  }
  uint odd = magnitude >> 13 & 1u;
  return ushort(sign | (magnitude - 0x38000000u + 0xfffu + odd) >> 13);
}

MSL_INLINE float msl_bfloat_to_float(ushort b) { return msl_from_bits(uint(b) << 16); }

MSL_INLINE ushort msl_float_to_bfloat(float x) {
  uint bits = msl_bits(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return ushort(bits >> 16 | 0x40u);
  return ushort((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

template <class T> concept msl_integer =
    __is_same(T, bool) || __is_same(T, char) || __is_same(T, signed char) || __is_same(T, uchar) ||
    __is_same(T, short) || __is_same(T, ushort) || __is_same(T, int) || __is_same(T, uint) ||
    __is_same(T, long) || __is_same(T, ulong);

#define MSL_SMALL_OPERATOR(TYPE, OP) \
  friend MSL_INLINE TYPE operator OP(TYPE a, TYPE b) { return TYPE(float(a) OP float(b)); } \
  friend MSL_INLINE float operator OP(TYPE a, float b) { return float(a) OP b; } \
  friend MSL_INLINE float operator OP(float a, TYPE b) { return a OP float(b); } \
  template <msl_integer I> friend MSL_INLINE TYPE operator OP(TYPE a, I b) { return a OP TYPE(float(b)); } \
  template <msl_integer I> friend MSL_INLINE TYPE operator OP(I a, TYPE b) { return TYPE(float(a)) OP b; } \
  template <class U> MSL_INLINE TYPE& operator OP##=(U b) { return *this = TYPE(*this OP b); }
#define MSL_SMALL_COMPARISON(TYPE, OP) \
  friend MSL_INLINE bool operator OP(TYPE a, TYPE b) { return float(a) OP float(b); } \
  friend MSL_INLINE bool operator OP(TYPE a, float b) { return float(a) OP b; } \
  friend MSL_INLINE bool operator OP(float a, TYPE b) { return a OP float(b); } \
  template <msl_integer I> friend MSL_INLINE bool operator OP(TYPE a, I b) { return float(a) OP float(b); } \
  template <msl_integer I> friend MSL_INLINE bool operator OP(I a, TYPE b) { return float(a) OP float(b); }
// Small floats: `EXPLICIT` says whether a float may become one without a cast.
#define MSL_SMALL_FLOAT(TYPE, TO_FLOAT, FROM_FLOAT, EXPLICIT) \
  struct TYPE { \
    ushort bits; \
    TYPE() = default; \
    EXPLICIT MSL_INLINE TYPE(float x) : bits(FROM_FLOAT(x)) {} \
    template <msl_integer I> EXPLICIT MSL_INLINE TYPE(I x) : bits(FROM_FLOAT(float(x))) {} \
    MSL_INLINE operator float() const { return TO_FLOAT(bits); } \
    MSL_INLINE TYPE operator-() const { TYPE y; y.bits = ushort(bits ^ 0x8000u); return y; } \
    MSL_INLINE TYPE operator+() const { return *this; } \
    MSL_SMALL_OPERATOR(TYPE, +) MSL_SMALL_OPERATOR(TYPE, -) \
    MSL_SMALL_OPERATOR(TYPE, *) MSL_SMALL_OPERATOR(TYPE, /) \
    MSL_SMALL_COMPARISON(TYPE, <) MSL_SMALL_COMPARISON(TYPE, >) MSL_SMALL_COMPARISON(TYPE, <=) \
    MSL_SMALL_COMPARISON(TYPE, >=) MSL_SMALL_COMPARISON(TYPE, ==) MSL_SMALL_COMPARISON(TYPE, !=) \
  };
MSL_SMALL_FLOAT(half, msl_half_to_float, msl_float_to_half, )
MSL_SMALL_FLOAT(bfloat, msl_bfloat_to_float, msl_float_to_bfloat, explicit)

template <class T, int N> struct msl_components;
template <class T> struct alignas(2 * sizeof(T)) msl_components<T, 2> { T x, y; };
template <class T> struct alignas(4 * sizeof(T)) msl_components<T, 3> { T x, y, z; };
template <class T> struct alignas(4 * sizeof(T)) msl_components<T, 4> { T x, y, z, w; };

template <class T, int N> struct vec;
template <class T> struct msl_traits {
  static constexpr int components = 0;
};
#define MSL_SCALAR_TRAITS(T) \
  template <> struct msl_traits<T> { using scalar = T; static constexpr int components = 1; };
template <class T, int N> struct msl_traits<vec<T, N>> {
  using scalar = T;
  static constexpr int components = N;
};

#define MSL_VECTOR_OPERATOR(OP) \
  friend MSL_INLINE vec operator OP(vec a, vec b) { \
    vec r; \
    for (int i = 0; i < N; ++i) r.set(i, T(a.get(i) OP b.get(i))); \
    return r; \
  } \
  MSL_INLINE vec& operator OP##=(vec b) { return *this = *this OP b; }

#define MSL_VECTOR_COMPARISON(OP) \
  friend MSL_INLINE vec<bool, N> operator OP(vec a, vec b) { \
    vec<bool, N> r; \
    for (int i = 0; i < N; ++i) r.set(i, a.get(i) OP b.get(i)); \
    return r; \
  }

template <class T, int N> struct vec : msl_components<T, N> {
  vec() = default;
  MSL_INLINE vec(T s) { for (int i = 0; i < N; ++i) set(i, s); }
  template <class U> explicit MSL_INLINE vec(vec<U, N> v) {
    for (int i = 0; i < N; ++i) set(i, T(v.get(i)));
  }
  template <class... A>
    requires(sizeof...(A) > 1 && (0 + ... + msl_traits<A>::components) == N)
  MSL_INLINE vec(A... a) { int at = 0; (append(at, a), ...); }

  MSL_INLINE T get(int i) const { return (&this->x)[i]; }
  MSL_INLINE void set(int i, T value) { (&this->x)[i] = value; }
  MSL_INLINE T& operator[](int i) { return (&this->x)[i]; }
  MSL_INLINE const T& operator[](int i) const { return (&this->x)[i]; }
  MSL_INLINE vec operator-() const {
    vec r;
    for (int i = 0; i < N; ++i) r.set(i, T(-get(i)));
    return r;
  }
  MSL_VECTOR_OPERATOR(+) MSL_VECTOR_OPERATOR(-) MSL_VECTOR_OPERATOR(*) MSL_VECTOR_OPERATOR(/)
  MSL_VECTOR_OPERATOR(&) MSL_VECTOR_OPERATOR(|) MSL_VECTOR_OPERATOR(^)
  MSL_VECTOR_COMPARISON(<) MSL_VECTOR_COMPARISON(>) MSL_VECTOR_COMPARISON(<=)
  MSL_VECTOR_COMPARISON(>=) MSL_VECTOR_COMPARISON(==) MSL_VECTOR_COMPARISON(!=)

 private:
  template <class U> MSL_INLINE void append(int& at, U value) {
    if constexpr (msl_traits<U>::components == 1) set(at++, T(value));
    else for (int i = 0; i < msl_traits<U>::components; ++i) set(at++, T(value.get(i)));
  }
};
#define MSL_VECTORS(T) \
  MSL_SCALAR_TRAITS(T) typedef vec<T, 2> T##2; typedef vec<T, 3> T##3; typedef vec<T, 4> T##4;

MSL_SCALAR_TRAITS(bool)
MSL_VECTORS(char)
MSL_VECTORS(uchar)
MSL_VECTORS(short)
MSL_VECTORS(ushort)
MSL_VECTORS(int)
MSL_VECTORS(uint)
MSL_VECTORS(long)
MSL_VECTORS(ulong)
MSL_VECTORS(half)
MSL_VECTORS(bfloat)
MSL_VECTORS(float)

template <class To> MSL_INLINE To msl_cast(const volatile void* pointer, msl_u32 line = __builtin_LINE()) {
  To cast = (To)(msl_word)pointer;
#if MSL_CHECKED
  if ((msl_word)pointer % alignof(decltype(*cast))) msl_report_misaligned(pointer, line);
#endif
  return cast;
}

// Places of threadgroup arrays: packed as a device would, and in the arena with red zones.
constexpr unsigned long msl_pack(unsigned long end, unsigned long alignment) {
  return (end + alignment - 1) / alignment * alignment;
}
constexpr unsigned long msl_place(unsigned long end, unsigned long alignment) {
  return msl_pack(end + msl_red_zone, alignment < 16 ? 16 : alignment);
}
template <class T> constexpr msl_u32 msl_granule() {
  if constexpr (msl_traits<T>::components > 0) return sizeof(typename msl_traits<T>::scalar);
  else return 1;
}
