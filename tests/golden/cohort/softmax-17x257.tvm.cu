
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
extern "C" __global__ void __launch_bounds__(32) softmax_kernel_5dcb66b17ce3_0_kernel(float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr);
extern "C" __global__ void __launch_bounds__(32) softmax_kernel_5dcb66b17ce3_0_kernel(float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr) {
  alignas(64) float own_stripe01_ptr[9];
  alignas(64) float own_stripe12_ptr[9];
  alignas(64) int c5_ptr[1];
  alignas(64) float c6_ptr[1];
  alignas(64) int c8_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) int c10_ptr[1];
  alignas(64) float c11_ptr[1];
  alignas(64) float c12_ptr[1];
  alignas(64) float c13_ptr[1];
  alignas(64) signed char c14_ptr[1];
  alignas(64) int c15_ptr[1];
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
  alignas(64) float c26_ptr[1];
  alignas(64) float c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) float c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) float c31_ptr[1];
  alignas(64) float c32_ptr[1];
  alignas(64) float c33_ptr[1];
  alignas(64) float c34_ptr[1];
  alignas(64) float c35_ptr[1];
  alignas(64) int c37_ptr[1];
  alignas(64) float c38_ptr[1];
  alignas(64) float c39_ptr[1];
  alignas(64) float c40_ptr[1];
  alignas(64) float c41_ptr[1];
  alignas(64) float c42_ptr[1];
  alignas(64) float c43_ptr[1];
  alignas(64) float c44_ptr[1];
  alignas(64) float c45_ptr[1];
  alignas(64) float c46_ptr[1];
  alignas(64) float c47_ptr[1];
  alignas(64) float c48_ptr[1];
  alignas(64) float c49_ptr[1];
  alignas(64) float c50_ptr[1];
  alignas(64) float c51_ptr[1];
  alignas(64) float c52_ptr[1];
  alignas(64) float c53_ptr[1];
  alignas(64) float c54_ptr[1];
  alignas(64) float c55_ptr[1];
  alignas(64) float c56_ptr[1];
  alignas(64) float c57_ptr[1];
  alignas(64) int c58_ptr[1];
  alignas(64) int c60_ptr[1];
  alignas(64) int c61_ptr[1];
  alignas(64) float c62_ptr[1];
  alignas(64) float c63_ptr[1];
  alignas(64) int c64_ptr[1];
  alignas(64) float c65_ptr[1];
  alignas(64) float c66_ptr[1];
  alignas(64) int c67_ptr[1];
  int lane3 = (((int)threadIdx.x) & 31);
  int subgroup4 = (((int)threadIdx.x) >> 5);
  c5_ptr[0] = (((int)blockIdx.x) * 257);
  c6_ptr[0] = __int_as_float(-8388608);
  for (int i7 = 0; i7 < 8; ++i7) {
    c8_ptr[0] = (0 + i7);
    c9_ptr[0] = (c8_ptr[0] * 32);
    c10_ptr[0] = (c5_ptr[0] + c9_ptr[0]);
    c11_ptr[0] = p_x_ptr[(c10_ptr[0] + lane3)];
    own_stripe01_ptr[c8_ptr[0]] = c11_ptr[0];
    c12_ptr[0] = ((c6_ptr[0] > c11_ptr[0]) ? c6_ptr[0] : c11_ptr[0]);
    c13_ptr[0] = (!(c6_ptr[0] <= __int_as_float(2139095040)) ? c6_ptr[0] : c12_ptr[0]);
    c6_ptr[0] = c13_ptr[0];
  }
  c14_ptr[0] = ((lane3 < 1) ? (signed char)1 : (signed char)0);
  c15_ptr[0] = (c5_ptr[0] + 256);
  float condval;
  if (c14_ptr[0] != (signed char)0) {
    condval = p_x_ptr[(c15_ptr[0] + lane3)];
  } else {
    condval = 0x0p+0f/*0.000000e+00*/;
  }
  c16_ptr[0] = condval;
  own_stripe01_ptr[8] = c16_ptr[0];
  c17_ptr[0] = ((c6_ptr[0] > c16_ptr[0]) ? c6_ptr[0] : c16_ptr[0]);
  c18_ptr[0] = (!(c6_ptr[0] <= __int_as_float(2139095040)) ? c6_ptr[0] : c17_ptr[0]);
  c19_ptr[0] = ((c14_ptr[0] != (signed char)0) ? c18_ptr[0] : c6_ptr[0]);
  c20_ptr[0] = __shfl_xor_sync((uint)4294967295, c19_ptr[0], 16);
  c21_ptr[0] = ((c19_ptr[0] > c20_ptr[0]) ? c19_ptr[0] : c20_ptr[0]);
  c22_ptr[0] = (!(c19_ptr[0] <= __int_as_float(2139095040)) ? c19_ptr[0] : c21_ptr[0]);
  c23_ptr[0] = __shfl_xor_sync((uint)4294967295, c22_ptr[0], 8);
  c24_ptr[0] = ((c22_ptr[0] > c23_ptr[0]) ? c22_ptr[0] : c23_ptr[0]);
  c25_ptr[0] = (!(c22_ptr[0] <= __int_as_float(2139095040)) ? c22_ptr[0] : c24_ptr[0]);
  c26_ptr[0] = __shfl_xor_sync((uint)4294967295, c25_ptr[0], 4);
  c27_ptr[0] = ((c25_ptr[0] > c26_ptr[0]) ? c25_ptr[0] : c26_ptr[0]);
  c28_ptr[0] = (!(c25_ptr[0] <= __int_as_float(2139095040)) ? c25_ptr[0] : c27_ptr[0]);
  c29_ptr[0] = __shfl_xor_sync((uint)4294967295, c28_ptr[0], 2);
  c30_ptr[0] = ((c28_ptr[0] > c29_ptr[0]) ? c28_ptr[0] : c29_ptr[0]);
  c31_ptr[0] = (!(c28_ptr[0] <= __int_as_float(2139095040)) ? c28_ptr[0] : c30_ptr[0]);
  c32_ptr[0] = __shfl_xor_sync((uint)4294967295, c31_ptr[0], 1);
  c33_ptr[0] = ((c31_ptr[0] > c32_ptr[0]) ? c31_ptr[0] : c32_ptr[0]);
  c34_ptr[0] = (!(c31_ptr[0] <= __int_as_float(2139095040)) ? c31_ptr[0] : c33_ptr[0]);
  c35_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  for (int i36 = 0; i36 < 8; ++i36) {
    c37_ptr[0] = (0 + i36);
    c38_ptr[0] = own_stripe01_ptr[c37_ptr[0]];
    c39_ptr[0] = (c38_ptr[0] - c34_ptr[0]);
    c40_ptr[0] = expf(c39_ptr[0]);
    own_stripe12_ptr[c37_ptr[0]] = c40_ptr[0];
    c41_ptr[0] = (c35_ptr[0] + c40_ptr[0]);
    c35_ptr[0] = c41_ptr[0];
  }
  c42_ptr[0] = own_stripe01_ptr[8];
  c43_ptr[0] = (c42_ptr[0] - c34_ptr[0]);
  c44_ptr[0] = expf(c43_ptr[0]);
  own_stripe12_ptr[8] = c44_ptr[0];
  c45_ptr[0] = (c35_ptr[0] + c44_ptr[0]);
  c46_ptr[0] = ((c14_ptr[0] != (signed char)0) ? c45_ptr[0] : c35_ptr[0]);
  c47_ptr[0] = __shfl_xor_sync((uint)4294967295, c46_ptr[0], 16);
  c48_ptr[0] = (c46_ptr[0] + c47_ptr[0]);
  c49_ptr[0] = __shfl_xor_sync((uint)4294967295, c48_ptr[0], 8);
  c50_ptr[0] = (c48_ptr[0] + c49_ptr[0]);
  c51_ptr[0] = __shfl_xor_sync((uint)4294967295, c50_ptr[0], 4);
  c52_ptr[0] = (c50_ptr[0] + c51_ptr[0]);
  c53_ptr[0] = __shfl_xor_sync((uint)4294967295, c52_ptr[0], 2);
  c54_ptr[0] = (c52_ptr[0] + c53_ptr[0]);
  c55_ptr[0] = __shfl_xor_sync((uint)4294967295, c54_ptr[0], 1);
  c56_ptr[0] = (c54_ptr[0] + c55_ptr[0]);
  c57_ptr[0] = (0x1p+0f/*1.000000e+00*/ / c56_ptr[0]);
  c58_ptr[0] = (((int)blockIdx.x) * 257);
  for (int i59 = 0; i59 < 8; ++i59) {
    c60_ptr[0] = (0 + i59);
    c61_ptr[0] = (c60_ptr[0] * 32);
    c62_ptr[0] = own_stripe12_ptr[c60_ptr[0]];
    c63_ptr[0] = __fmul_rn(c62_ptr[0], c57_ptr[0]);
    c64_ptr[0] = (c58_ptr[0] + c61_ptr[0]);
    p_y_ptr[(c64_ptr[0] + lane3)] = c63_ptr[0];
  }
  c65_ptr[0] = own_stripe12_ptr[8];
  c66_ptr[0] = __fmul_rn(c65_ptr[0], c57_ptr[0]);
  c67_ptr[0] = (c58_ptr[0] + 256);
  if (c14_ptr[0] != (signed char)0) {
    p_y_ptr[(c67_ptr[0] + lane3)] = c66_ptr[0];
  }
}

