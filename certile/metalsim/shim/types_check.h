// The types of MSL for the check of the front end: built-in vectors, address spaces kept.
//
// Only built-in types can be loaded through a pointer with an address space, because a class would
// need one copy constructor for each; so this mode has no class and no function body.
#pragma once

#define device __attribute__((address_space(1)))
#define constant const __attribute__((address_space(2)))
#define threadgroup __attribute__((address_space(3)))
#define thread
#define MSL_CHECK 1
#define MSL_BODY(...) ;
#define MSL_INLINE

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
typedef _Float16 half;
typedef __bf16 bfloat;

template <class T> struct msl_traits {
  static constexpr int components = 0;
};
#define MSL_SCALAR_TRAITS(T) \
  template <> struct msl_traits<T> { using scalar = T; static constexpr int components = 1; };
#define MSL_VECTOR(T, N) \
  typedef T T##N __attribute__((ext_vector_type(N))); \
  template <> struct msl_traits<T##N> { using scalar = T; static constexpr int components = N; }; \
  template <class... A> T##N msl_make_##T##N(A...) { \
    constexpr int given = (0 + ... + msl_traits<A>::components); \
    static_assert(((msl_traits<A>::components > 0) && ...) && (given == N || (sizeof...(A) == 1 && given == 1)), \
                  "X010 the components of a vector constructor do not add up to " #N); \
    return T##N{}; \
  }
#define MSL_VECTORS(T) MSL_SCALAR_TRAITS(T) MSL_VECTOR(T, 2) MSL_VECTOR(T, 3) MSL_VECTOR(T, 4)

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

// A pointer cast may change the pointee, not its address space, and may not drop const.
template <class T> struct msl_space { static constexpr int value = 0; };
template <class T> struct msl_space<device T> { static constexpr int value = 1; };
template <class T> struct msl_space<__attribute__((address_space(2))) T> { static constexpr int value = 2; };
template <class T> struct msl_space<threadgroup T> { static constexpr int value = 3; };
template <class T> struct msl_is_const { static constexpr bool value = false; };
template <class T> struct msl_is_const<const T> { static constexpr bool value = true; };

template <class To, class From> struct msl_caster;
template <class To, class From> struct msl_caster<To*, From*> {
  static_assert(msl_space<To>::value == msl_space<From>::value,
                "X007 a cast leads from one address space to another");
  static_assert(msl_is_const<To>::value || !msl_is_const<From>::value,
                "X007 a cast drops const");
};
template <class To, class From> To msl_cast(From) {
  (void)sizeof(msl_caster<To, From>);
  return nullptr;
}

constexpr unsigned long msl_pack(unsigned long end, unsigned long alignment) {
  return (end + alignment - 1) / alignment * alignment;
}
