
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
extern "C" __global__ void __launch_bounds__(32) cross_entropy_kernel_76d2dec0f579_0_kernel(int64_t* __restrict__ p_labels_ptr, float* __restrict__ p_logits_ptr, float* __restrict__ p_loss_ptr);
extern "C" __global__ void __launch_bounds__(32) cross_entropy_kernel_76d2dec0f579_0_kernel(int64_t* __restrict__ p_labels_ptr, float* __restrict__ p_logits_ptr, float* __restrict__ p_loss_ptr) {
  alignas(64) int c3_ptr[1];
  alignas(64) int64_t c4_ptr[1];
  alignas(64) float c5_ptr[1];
  alignas(64) int c7_ptr[1];
  alignas(64) int c8_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) float c10_ptr[1];
  alignas(64) float c11_ptr[1];
  alignas(64) float c12_ptr[1];
  alignas(64) signed char c13_ptr[1];
  alignas(64) int c14_ptr[1];
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
  alignas(64) float c26_ptr[1];
  alignas(64) float c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) float c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) float c31_ptr[1];
  alignas(64) float c32_ptr[1];
  alignas(64) float c33_ptr[1];
  alignas(64) int64_t c34_ptr[1];
  alignas(64) signed char c35_ptr[1];
  alignas(64) signed char c36_ptr[1];
  alignas(64) signed char c37_ptr[1];
  alignas(64) int64_t c38_ptr[1];
  alignas(64) float c39_ptr[1];
  alignas(64) float c40_ptr[1];
  alignas(64) float c41_ptr[1];
  alignas(64) signed char c42_ptr[1];
  alignas(64) float c43_ptr[1];
  alignas(64) float c44_ptr[1];
  alignas(64) int c46_ptr[1];
  alignas(64) int c47_ptr[1];
  alignas(64) int c48_ptr[1];
  alignas(64) float c49_ptr[1];
  alignas(64) float c50_ptr[1];
  alignas(64) float c51_ptr[1];
  alignas(64) float c52_ptr[1];
  alignas(64) float c53_ptr[1];
  alignas(64) float c54_ptr[1];
  alignas(64) float c55_ptr[1];
  alignas(64) float c56_ptr[1];
  alignas(64) float c57_ptr[1];
  alignas(64) float c58_ptr[1];
  alignas(64) float c59_ptr[1];
  alignas(64) float c60_ptr[1];
  alignas(64) float c61_ptr[1];
  alignas(64) float c62_ptr[1];
  alignas(64) float c63_ptr[1];
  alignas(64) float c64_ptr[1];
  alignas(64) float c65_ptr[1];
  alignas(64) float c66_ptr[1];
  alignas(64) float c67_ptr[1];
  alignas(64) float c68_ptr[1];
  alignas(64) float c69_ptr[1];
  alignas(64) float c70_ptr[1];
  int lane1 = (((int)threadIdx.x) & 31);
  int subgroup2 = (((int)threadIdx.x) >> 5);
  c3_ptr[0] = (((int)blockIdx.x) * 257);
  c4_ptr[0] = ((int64_t)c3_ptr[0]);
  c5_ptr[0] = __int_as_float(-8388608);
  for (int i6 = 0; i6 < 8; ++i6) {
    c7_ptr[0] = (0 + i6);
    c8_ptr[0] = (c7_ptr[0] * 32);
    c9_ptr[0] = (c3_ptr[0] + c8_ptr[0]);
    c10_ptr[0] = p_logits_ptr[(c9_ptr[0] + lane1)];
    c11_ptr[0] = ((c5_ptr[0] > c10_ptr[0]) ? c5_ptr[0] : c10_ptr[0]);
    c12_ptr[0] = (!(c5_ptr[0] <= __int_as_float(2139095040)) ? c5_ptr[0] : c11_ptr[0]);
    c5_ptr[0] = c12_ptr[0];
  }
  c13_ptr[0] = ((lane1 < 1) ? (signed char)1 : (signed char)0);
  c14_ptr[0] = (c3_ptr[0] + 256);
  float condval;
  if (c13_ptr[0] != (signed char)0) {
    condval = p_logits_ptr[(c14_ptr[0] + lane1)];
  } else {
    condval = 0x0p+0f/*0.000000e+00*/;
  }
  c15_ptr[0] = condval;
  c16_ptr[0] = ((c5_ptr[0] > c15_ptr[0]) ? c5_ptr[0] : c15_ptr[0]);
  c17_ptr[0] = (!(c5_ptr[0] <= __int_as_float(2139095040)) ? c5_ptr[0] : c16_ptr[0]);
  c18_ptr[0] = ((c13_ptr[0] != (signed char)0) ? c17_ptr[0] : c5_ptr[0]);
  c19_ptr[0] = __shfl_xor_sync((uint)4294967295, c18_ptr[0], 16);
  c20_ptr[0] = ((c18_ptr[0] > c19_ptr[0]) ? c18_ptr[0] : c19_ptr[0]);
  c21_ptr[0] = (!(c18_ptr[0] <= __int_as_float(2139095040)) ? c18_ptr[0] : c20_ptr[0]);
  c22_ptr[0] = __shfl_xor_sync((uint)4294967295, c21_ptr[0], 8);
  c23_ptr[0] = ((c21_ptr[0] > c22_ptr[0]) ? c21_ptr[0] : c22_ptr[0]);
  c24_ptr[0] = (!(c21_ptr[0] <= __int_as_float(2139095040)) ? c21_ptr[0] : c23_ptr[0]);
  c25_ptr[0] = __shfl_xor_sync((uint)4294967295, c24_ptr[0], 4);
  c26_ptr[0] = ((c24_ptr[0] > c25_ptr[0]) ? c24_ptr[0] : c25_ptr[0]);
  c27_ptr[0] = (!(c24_ptr[0] <= __int_as_float(2139095040)) ? c24_ptr[0] : c26_ptr[0]);
  c28_ptr[0] = __shfl_xor_sync((uint)4294967295, c27_ptr[0], 2);
  c29_ptr[0] = ((c27_ptr[0] > c28_ptr[0]) ? c27_ptr[0] : c28_ptr[0]);
  c30_ptr[0] = (!(c27_ptr[0] <= __int_as_float(2139095040)) ? c27_ptr[0] : c29_ptr[0]);
  c31_ptr[0] = __shfl_xor_sync((uint)4294967295, c30_ptr[0], 1);
  c32_ptr[0] = ((c30_ptr[0] > c31_ptr[0]) ? c30_ptr[0] : c31_ptr[0]);
  c33_ptr[0] = (!(c30_ptr[0] <= __int_as_float(2139095040)) ? c30_ptr[0] : c32_ptr[0]);
  c34_ptr[0] = p_labels_ptr[((int)blockIdx.x)];
  c35_ptr[0] = ((c34_ptr[0] >= (int64_t)0) ? (signed char)1 : (signed char)0);
  c36_ptr[0] = ((c34_ptr[0] < (int64_t)257) ? (signed char)1 : (signed char)0);
  c37_ptr[0] = (((c35_ptr[0] != (signed char)0) && (c36_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c38_ptr[0] = ((int64_t)(((uint64_t)c4_ptr[0]) + ((uint64_t)c34_ptr[0])));
  float condval_1;
  if (c37_ptr[0] != (signed char)0) {
    condval_1 = p_logits_ptr[c38_ptr[0]];
  } else {
    condval_1 = 0x0p+0f/*0.000000e+00*/;
  }
  c39_ptr[0] = condval_1;
  c40_ptr[0] = ((c37_ptr[0] != (signed char)0) ? c39_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c41_ptr[0] = fabsf(c33_ptr[0]);
  c42_ptr[0] = ((c41_ptr[0] < __int_as_float(2139095040)) ? (signed char)1 : (signed char)0);
  c43_ptr[0] = ((c42_ptr[0] != (signed char)0) ? c33_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c44_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  for (int i45 = 0; i45 < 8; ++i45) {
    c46_ptr[0] = (0 + i45);
    c47_ptr[0] = (c46_ptr[0] * 32);
    c48_ptr[0] = (c3_ptr[0] + c47_ptr[0]);
    c49_ptr[0] = p_logits_ptr[(c48_ptr[0] + lane1)];
    c50_ptr[0] = (c49_ptr[0] - c43_ptr[0]);
    c51_ptr[0] = expf(c50_ptr[0]);
    c52_ptr[0] = (c44_ptr[0] + c51_ptr[0]);
    c44_ptr[0] = c52_ptr[0];
  }
  float condval_2;
  if (c13_ptr[0] != (signed char)0) {
    condval_2 = p_logits_ptr[(c14_ptr[0] + lane1)];
  } else {
    condval_2 = 0x0p+0f/*0.000000e+00*/;
  }
  c53_ptr[0] = condval_2;
  c54_ptr[0] = (c53_ptr[0] - c43_ptr[0]);
  c55_ptr[0] = expf(c54_ptr[0]);
  c56_ptr[0] = (c44_ptr[0] + c55_ptr[0]);
  c57_ptr[0] = ((c13_ptr[0] != (signed char)0) ? c56_ptr[0] : c44_ptr[0]);
  c58_ptr[0] = __shfl_xor_sync((uint)4294967295, c57_ptr[0], 16);
  c59_ptr[0] = (c57_ptr[0] + c58_ptr[0]);
  c60_ptr[0] = __shfl_xor_sync((uint)4294967295, c59_ptr[0], 8);
  c61_ptr[0] = (c59_ptr[0] + c60_ptr[0]);
  c62_ptr[0] = __shfl_xor_sync((uint)4294967295, c61_ptr[0], 4);
  c63_ptr[0] = (c61_ptr[0] + c62_ptr[0]);
  c64_ptr[0] = __shfl_xor_sync((uint)4294967295, c63_ptr[0], 2);
  c65_ptr[0] = (c63_ptr[0] + c64_ptr[0]);
  c66_ptr[0] = __shfl_xor_sync((uint)4294967295, c65_ptr[0], 1);
  c67_ptr[0] = (c65_ptr[0] + c66_ptr[0]);
  c68_ptr[0] = logf(c67_ptr[0]);
  c69_ptr[0] = (c43_ptr[0] - c40_ptr[0]);
  c70_ptr[0] = (c69_ptr[0] + c68_ptr[0]);
  if (lane1 == 0) {
    p_loss_ptr[((int)blockIdx.x)] = c70_ptr[0];
  }
}

