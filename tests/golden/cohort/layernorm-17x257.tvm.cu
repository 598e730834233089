
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
extern "C" __global__ void __launch_bounds__(320) layer_norm_kernel_9c953c2e3adb_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps);
extern "C" __global__ void __launch_bounds__(320) layer_norm_kernel_9c953c2e3adb_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps) {
  __shared__ alignas(64) float shared_partial01_ptr[10];
  __shared__ alignas(64) float shared_partial12_ptr[10];
  alignas(64) float own_stripe03_ptr[1];
  alignas(64) float own_stripe14_ptr[1];
  alignas(64) int c7_ptr[1];
  alignas(64) float c8_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) int c10_ptr[1];
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
  alignas(64) float c26_ptr[1];
  alignas(64) signed char c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) float c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) float c31_ptr[1];
  alignas(64) float c32_ptr[1];
  alignas(64) float c33_ptr[1];
  alignas(64) float c34_ptr[1];
  alignas(64) float c35_ptr[1];
  alignas(64) float c36_ptr[1];
  alignas(64) float c37_ptr[1];
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
  alignas(64) float c71_ptr[1];
  alignas(64) float c72_ptr[1];
  alignas(64) float c73_ptr[1];
  alignas(64) float c74_ptr[1];
  alignas(64) float c75_ptr[1];
  alignas(64) float c76_ptr[1];
  alignas(64) int c77_ptr[1];
  alignas(64) int c78_ptr[1];
  int lane5 = (((int)threadIdx.x) & 31);
  int subgroup6 = (((int)threadIdx.x) >> 5);
  c7_ptr[0] = (((int)blockIdx.x) * 257);
  c8_ptr[0] = p_x_ptr[c7_ptr[0]];
  c9_ptr[0] = (subgroup6 * 32);
  c10_ptr[0] = (c9_ptr[0] + lane5);
  c11_ptr[0] = ((c10_ptr[0] < 257) ? (signed char)1 : (signed char)0);
  c12_ptr[0] = (c7_ptr[0] + c9_ptr[0]);
  float condval;
  if (c11_ptr[0] != (signed char)0) {
    condval = p_x_ptr[(c12_ptr[0] + lane5)];
  } else {
    condval = 0x0p+0f/*0.000000e+00*/;
  }
  c13_ptr[0] = condval;
  own_stripe03_ptr[0] = c13_ptr[0];
  c14_ptr[0] = (c13_ptr[0] - c8_ptr[0]);
  c15_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c14_ptr[0]);
  c16_ptr[0] = ((c11_ptr[0] != (signed char)0) ? c15_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c17_ptr[0] = __shfl_xor_sync((uint)4294967295, c16_ptr[0], 16);
  c18_ptr[0] = (c16_ptr[0] + c17_ptr[0]);
  c19_ptr[0] = __shfl_xor_sync((uint)4294967295, c18_ptr[0], 8);
  c20_ptr[0] = (c18_ptr[0] + c19_ptr[0]);
  c21_ptr[0] = __shfl_xor_sync((uint)4294967295, c20_ptr[0], 4);
  c22_ptr[0] = (c20_ptr[0] + c21_ptr[0]);
  c23_ptr[0] = __shfl_xor_sync((uint)4294967295, c22_ptr[0], 2);
  c24_ptr[0] = (c22_ptr[0] + c23_ptr[0]);
  c25_ptr[0] = __shfl_xor_sync((uint)4294967295, c24_ptr[0], 1);
  c26_ptr[0] = (c24_ptr[0] + c25_ptr[0]);
  if (lane5 == 0) {
    shared_partial01_ptr[subgroup6] = c26_ptr[0];
  }
  __syncthreads();
  c27_ptr[0] = ((lane5 < 10) ? (signed char)1 : (signed char)0);
  float condval_1;
  if (c27_ptr[0] != (signed char)0) {
    condval_1 = shared_partial01_ptr[lane5];
  } else {
    condval_1 = 0x0p+0f/*0.000000e+00*/;
  }
  c28_ptr[0] = condval_1;
  c29_ptr[0] = __shfl_xor_sync((uint)4294967295, c28_ptr[0], 16);
  c30_ptr[0] = (c28_ptr[0] + c29_ptr[0]);
  c31_ptr[0] = __shfl_xor_sync((uint)4294967295, c30_ptr[0], 8);
  c32_ptr[0] = (c30_ptr[0] + c31_ptr[0]);
  c33_ptr[0] = __shfl_xor_sync((uint)4294967295, c32_ptr[0], 4);
  c34_ptr[0] = (c32_ptr[0] + c33_ptr[0]);
  c35_ptr[0] = __shfl_xor_sync((uint)4294967295, c34_ptr[0], 2);
  c36_ptr[0] = (c34_ptr[0] + c35_ptr[0]);
  c37_ptr[0] = __shfl_xor_sync((uint)4294967295, c36_ptr[0], 1);
  c38_ptr[0] = (c36_ptr[0] + c37_ptr[0]);
  c39_ptr[0] = (c38_ptr[0] / 0x1.01p+8f/*2.570000e+02*/);
  c40_ptr[0] = (-0x0p+0f/*-0.000000e+00*/ - c8_ptr[0]);
  c41_ptr[0] = own_stripe03_ptr[0];
  c42_ptr[0] = fmaf(c41_ptr[0], 0x1p+0f/*1.000000e+00*/, c40_ptr[0]);
  c43_ptr[0] = (c42_ptr[0] - c39_ptr[0]);
  own_stripe14_ptr[0] = c43_ptr[0];
  c44_ptr[0] = __fmul_rn(c43_ptr[0], c43_ptr[0]);
  c45_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c44_ptr[0]);
  c46_ptr[0] = ((c11_ptr[0] != (signed char)0) ? c45_ptr[0] : 0x0p+0f/*0.000000e+00*/);
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
  if (lane5 == 0) {
    shared_partial12_ptr[subgroup6] = c56_ptr[0];
  }
  __syncthreads();
  float condval_2;
  if (c27_ptr[0] != (signed char)0) {
    condval_2 = shared_partial12_ptr[lane5];
  } else {
    condval_2 = 0x0p+0f/*0.000000e+00*/;
  }
  c57_ptr[0] = condval_2;
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
  c68_ptr[0] = (c67_ptr[0] / 0x1.01p+8f/*2.570000e+02*/);
  c69_ptr[0] = (c68_ptr[0] + n_eps);
  c70_ptr[0] = __frsqrt_rn(c69_ptr[0]);
  float condval_3;
  if (c11_ptr[0] != (signed char)0) {
    condval_3 = p_bias_ptr[(c9_ptr[0] + lane5)];
  } else {
    condval_3 = 0x0p+0f/*0.000000e+00*/;
  }
  c71_ptr[0] = condval_3;
  float condval_4;
  if (c11_ptr[0] != (signed char)0) {
    condval_4 = p_weight_ptr[(c9_ptr[0] + lane5)];
  } else {
    condval_4 = 0x0p+0f/*0.000000e+00*/;
  }
  c72_ptr[0] = condval_4;
  c73_ptr[0] = own_stripe14_ptr[0];
  c74_ptr[0] = __fmul_rn(c73_ptr[0], c70_ptr[0]);
  c75_ptr[0] = __fmul_rn(c74_ptr[0], c72_ptr[0]);
  c76_ptr[0] = (c75_ptr[0] + c71_ptr[0]);
  c77_ptr[0] = (((int)blockIdx.x) * 257);
  c78_ptr[0] = (c77_ptr[0] + c9_ptr[0]);
  if (c11_ptr[0] != (signed char)0) {
    p_y_ptr[(c78_ptr[0] + lane5)] = c76_ptr[0];
  }
}

