
#ifdef __CUDACC_RTC__
  #include <cuda/std/cstdint>
  using cuda::std::uint8_t;
  using cuda::std::uint16_t;
  using cuda::std::uint32_t;
  using cuda::std::uint64_t;
  using cuda::std::int8_t;
  using cuda::std::int16_t;
  using cuda::std::int32_t;
  using cuda::std::int64_t;

  #include <cuda/std/type_traits>
  namespace std {
    using cuda::std::is_same;
    using cuda::std::is_same_v;
    using cuda::std::is_integral;
    using cuda::std::is_signed;
    using cuda::std::is_unsigned;
    using cuda::std::is_floating_point;
    using cuda::std::enable_if;
    using cuda::std::conditional;
  }

  // NVRTC uses asm/volatile instead of __asm__/__volatile__ (gcc extension).
  #ifndef __asm__
  #define __asm__ asm
  #endif
  #ifndef __volatile__
  #define __volatile__ volatile
  #endif
#else
  #include <cstdint>
  #include <type_traits>
  #include <cuda.h>
#endif

#if (((__CUDACC_VER_MAJOR__ == 11) && (__CUDACC_VER_MINOR__ >= 4)) || \
     (__CUDACC_VER_MAJOR__ > 11))
#define TVM_ENABLE_L2_PREFETCH 1
#else
#define TVM_ENABLE_L2_PREFETCH 0
#endif

#ifdef _WIN32
  using uint = unsigned int;
  using uchar = unsigned char;
  using ushort = unsigned short;
  using int64_t = long long;
  using uint64_t = unsigned long long;
#else
  #define uint unsigned int
  #define uchar unsigned char
  #define ushort unsigned short
#endif
extern "C" __global__ void __launch_bounds__(32) sum_kernel_89f17e8f9535_0_kernel(float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr);
extern "C" __global__ void __launch_bounds__(32) sum_kernel_89f17e8f9535_0_kernel(float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr) {
  alignas(64) int c3_ptr[1];
  alignas(64) float c4_ptr[1];
  alignas(64) int c6_ptr[1];
  alignas(64) int c7_ptr[1];
  alignas(64) int c8_ptr[1];
  alignas(64) float c9_ptr[1];
  alignas(64) float c10_ptr[1];
  alignas(64) signed char c11_ptr[1];
  alignas(64) int c12_ptr[1];
  alignas(64) float c13_ptr[1];
  alignas(64) float c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) float c17_ptr[1];
  alignas(64) float c18_ptr[1];
  alignas(64) float c19_ptr[1];
  alignas(64) float c20_ptr[1];
  alignas(64) float c21_ptr[1];
  alignas(64) float c22_ptr[1];
  alignas(64) float c23_ptr[1];
  alignas(64) float c24_ptr[1];
  alignas(64) float c25_ptr[1];
  int lane1 = (((int)threadIdx.x) & 31);
  int subgroup2 = (((int)threadIdx.x) >> 5);
  c3_ptr[0] = (((int)blockIdx.x) * 257);
  c4_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  for (int i5 = 0; i5 < 8; ++i5) {
    c6_ptr[0] = (0 + i5);
    c7_ptr[0] = (c6_ptr[0] * 32);
    c8_ptr[0] = (c3_ptr[0] + c7_ptr[0]);
    c9_ptr[0] = p_x_ptr[(c8_ptr[0] + lane1)];
    c10_ptr[0] = (c4_ptr[0] + c9_ptr[0]);
    c4_ptr[0] = c10_ptr[0];
  }
  c11_ptr[0] = ((lane1 < 1) ? (signed char)1 : (signed char)0);
  c12_ptr[0] = (c3_ptr[0] + 256);
  float condval;
  if (c11_ptr[0] != (signed char)0) {
    condval = p_x_ptr[(c12_ptr[0] + lane1)];
  } else {
    condval = 0x0p+0f/*0.000000e+00*/;
  }
  c13_ptr[0] = condval;
  c14_ptr[0] = (c4_ptr[0] + c13_ptr[0]);
  c15_ptr[0] = ((c11_ptr[0] != (signed char)0) ? c14_ptr[0] : c4_ptr[0]);
  c16_ptr[0] = __shfl_xor_sync((uint)4294967295, c15_ptr[0], 16);
  c17_ptr[0] = (c15_ptr[0] + c16_ptr[0]);
  c18_ptr[0] = __shfl_xor_sync((uint)4294967295, c17_ptr[0], 8);
  c19_ptr[0] = (c17_ptr[0] + c18_ptr[0]);
  c20_ptr[0] = __shfl_xor_sync((uint)4294967295, c19_ptr[0], 4);
  c21_ptr[0] = (c19_ptr[0] + c20_ptr[0]);
  c22_ptr[0] = __shfl_xor_sync((uint)4294967295, c21_ptr[0], 2);
  c23_ptr[0] = (c21_ptr[0] + c22_ptr[0]);
  c24_ptr[0] = __shfl_xor_sync((uint)4294967295, c23_ptr[0], 1);
  c25_ptr[0] = (c23_ptr[0] + c24_ptr[0]);
  if (lane1 == 0) {
    p_y_ptr[((int)blockIdx.x)] = c25_ptr[0];
  }
}

