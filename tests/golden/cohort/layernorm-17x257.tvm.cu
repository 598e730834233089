
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
extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_9c953c2e3adb_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps);
extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_9c953c2e3adb_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps) {
  alignas(64) float own_stripe01_ptr[9];
  alignas(64) float own_stripe12_ptr[9];
  alignas(64) int c5_ptr[1];
  alignas(64) float c6_ptr[1];
  alignas(64) float c7_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) int c10_ptr[1];
  alignas(64) int c11_ptr[1];
  alignas(64) int c12_ptr[1];
  alignas(64) int c13_ptr[1];
  alignas(64) float c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) int c17_ptr[1];
  alignas(64) float c18_ptr[1];
  alignas(64) float c19_ptr[1];
  alignas(64) float c20_ptr[1];
  alignas(64) int c21_ptr[1];
  alignas(64) signed char c22_ptr[1];
  alignas(64) int c23_ptr[1];
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
  alignas(64) float c36_ptr[1];
  alignas(64) float c37_ptr[1];
  alignas(64) float c38_ptr[1];
  alignas(64) float c39_ptr[1];
  alignas(64) float c40_ptr[1];
  alignas(64) int c42_ptr[1];
  alignas(64) int c43_ptr[1];
  alignas(64) int c44_ptr[1];
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
  alignas(64) int c74_ptr[1];
  alignas(64) int c76_ptr[1];
  alignas(64) int c77_ptr[1];
  alignas(64) int c78_ptr[1];
  alignas(64) int c79_ptr[1];
  alignas(64) int c80_ptr[1];
  alignas(64) int c81_ptr[1];
  alignas(64) float2 c82_ptr[1];
  alignas(64) float c83_ptr[1];
  alignas(64) int c84_ptr[1];
  alignas(64) float2 c85_ptr[1];
  alignas(64) float c86_ptr[1];
  alignas(64) float c87_ptr[1];
  alignas(64) float c88_ptr[1];
  alignas(64) float c89_ptr[1];
  alignas(64) float c90_ptr[1];
  alignas(64) int c91_ptr[1];
  alignas(64) float c92_ptr[1];
  alignas(64) float c93_ptr[1];
  alignas(64) float c94_ptr[1];
  alignas(64) float c95_ptr[1];
  alignas(64) float c96_ptr[1];
  alignas(64) float c97_ptr[1];
  alignas(64) int c98_ptr[1];
  alignas(64) float c99_ptr[1];
  alignas(64) float c100_ptr[1];
  alignas(64) float c101_ptr[1];
  alignas(64) float c102_ptr[1];
  alignas(64) float c103_ptr[1];
  alignas(64) float c104_ptr[1];
  alignas(64) int c105_ptr[1];
  int lane3 = (((int)threadIdx.x) & 31);
  int subgroup4 = (((int)threadIdx.x) >> 5);
  c5_ptr[0] = (((int)blockIdx.x) * 257);
  c6_ptr[0] = p_x_ptr[c5_ptr[0]];
  c7_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  for (int i8 = 0; i8 < 4; ++i8) {
    c9_ptr[0] = (0 + i8);
    c10_ptr[0] = (c9_ptr[0] * 64);
    c11_ptr[0] = (c9_ptr[0] * 2);
    c12_ptr[0] = (c11_ptr[0] + 1);
    c13_ptr[0] = (c5_ptr[0] + c10_ptr[0]);
    c14_ptr[0] = p_x_ptr[(c13_ptr[0] + (lane3 * 2))];
    own_stripe01_ptr[c11_ptr[0]] = c14_ptr[0];
    c15_ptr[0] = (c14_ptr[0] - c6_ptr[0]);
    c16_ptr[0] = (c7_ptr[0] + c15_ptr[0]);
    c17_ptr[0] = (c13_ptr[0] + 1);
    c18_ptr[0] = p_x_ptr[(c17_ptr[0] + (lane3 * 2))];
    own_stripe01_ptr[c12_ptr[0]] = c18_ptr[0];
    c19_ptr[0] = (c18_ptr[0] - c6_ptr[0]);
    c20_ptr[0] = (c16_ptr[0] + c19_ptr[0]);
    c7_ptr[0] = c20_ptr[0];
  }
  c21_ptr[0] = (lane3 * 2);
  c22_ptr[0] = ((c21_ptr[0] < 2) ? (signed char)1 : (signed char)0);
  c23_ptr[0] = (c5_ptr[0] + 256);
  float condval;
  if (c22_ptr[0] != (signed char)0) {
    condval = p_x_ptr[(c23_ptr[0] + (lane3 * 2))];
  } else {
    condval = 0x0p+0f/*0.000000e+00*/;
  }
  c24_ptr[0] = condval;
  own_stripe01_ptr[8] = c24_ptr[0];
  c25_ptr[0] = (c24_ptr[0] - c6_ptr[0]);
  c26_ptr[0] = (c7_ptr[0] + c25_ptr[0]);
  c27_ptr[0] = ((c22_ptr[0] != (signed char)0) ? c26_ptr[0] : c7_ptr[0]);
  c28_ptr[0] = __shfl_xor_sync((uint)4294967295, c27_ptr[0], 16);
  c29_ptr[0] = (c27_ptr[0] + c28_ptr[0]);
  c30_ptr[0] = __shfl_xor_sync((uint)4294967295, c29_ptr[0], 8);
  c31_ptr[0] = (c29_ptr[0] + c30_ptr[0]);
  c32_ptr[0] = __shfl_xor_sync((uint)4294967295, c31_ptr[0], 4);
  c33_ptr[0] = (c31_ptr[0] + c32_ptr[0]);
  c34_ptr[0] = __shfl_xor_sync((uint)4294967295, c33_ptr[0], 2);
  c35_ptr[0] = (c33_ptr[0] + c34_ptr[0]);
  c36_ptr[0] = __shfl_xor_sync((uint)4294967295, c35_ptr[0], 1);
  c37_ptr[0] = (c35_ptr[0] + c36_ptr[0]);
  c38_ptr[0] = (c37_ptr[0] / 0x1.01p+8f/*2.570000e+02*/);
  c39_ptr[0] = (-0x0p+0f/*-0.000000e+00*/ - c6_ptr[0]);
  c40_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  for (int i41 = 0; i41 < 4; ++i41) {
    c42_ptr[0] = (0 + i41);
    c43_ptr[0] = (c42_ptr[0] * 2);
    c44_ptr[0] = (c43_ptr[0] + 1);
    c45_ptr[0] = own_stripe01_ptr[c43_ptr[0]];
    c46_ptr[0] = fmaf(c45_ptr[0], 0x1p+0f/*1.000000e+00*/, c39_ptr[0]);
    c47_ptr[0] = (c46_ptr[0] - c38_ptr[0]);
    own_stripe12_ptr[c43_ptr[0]] = c47_ptr[0];
    c48_ptr[0] = __fmul_rn(c47_ptr[0], c47_ptr[0]);
    c49_ptr[0] = (c40_ptr[0] + c48_ptr[0]);
    c50_ptr[0] = own_stripe01_ptr[c44_ptr[0]];
    c51_ptr[0] = fmaf(c50_ptr[0], 0x1p+0f/*1.000000e+00*/, c39_ptr[0]);
    c52_ptr[0] = (c51_ptr[0] - c38_ptr[0]);
    own_stripe12_ptr[c44_ptr[0]] = c52_ptr[0];
    c53_ptr[0] = __fmul_rn(c52_ptr[0], c52_ptr[0]);
    c54_ptr[0] = (c49_ptr[0] + c53_ptr[0]);
    c40_ptr[0] = c54_ptr[0];
  }
  c55_ptr[0] = own_stripe01_ptr[8];
  c56_ptr[0] = fmaf(c55_ptr[0], 0x1p+0f/*1.000000e+00*/, c39_ptr[0]);
  c57_ptr[0] = (c56_ptr[0] - c38_ptr[0]);
  own_stripe12_ptr[8] = c57_ptr[0];
  c58_ptr[0] = __fmul_rn(c57_ptr[0], c57_ptr[0]);
  c59_ptr[0] = (c40_ptr[0] + c58_ptr[0]);
  c60_ptr[0] = ((c22_ptr[0] != (signed char)0) ? c59_ptr[0] : c40_ptr[0]);
  c61_ptr[0] = __shfl_xor_sync((uint)4294967295, c60_ptr[0], 16);
  c62_ptr[0] = (c60_ptr[0] + c61_ptr[0]);
  c63_ptr[0] = __shfl_xor_sync((uint)4294967295, c62_ptr[0], 8);
  c64_ptr[0] = (c62_ptr[0] + c63_ptr[0]);
  c65_ptr[0] = __shfl_xor_sync((uint)4294967295, c64_ptr[0], 4);
  c66_ptr[0] = (c64_ptr[0] + c65_ptr[0]);
  c67_ptr[0] = __shfl_xor_sync((uint)4294967295, c66_ptr[0], 2);
  c68_ptr[0] = (c66_ptr[0] + c67_ptr[0]);
  c69_ptr[0] = __shfl_xor_sync((uint)4294967295, c68_ptr[0], 1);
  c70_ptr[0] = (c68_ptr[0] + c69_ptr[0]);
  c71_ptr[0] = (c70_ptr[0] / 0x1.01p+8f/*2.570000e+02*/);
  c72_ptr[0] = (c71_ptr[0] + n_eps);
  c73_ptr[0] = __frsqrt_rn(c72_ptr[0]);
  c74_ptr[0] = (((int)blockIdx.x) * 257);
  for (int i75 = 0; i75 < 4; ++i75) {
    c76_ptr[0] = (0 + i75);
    c77_ptr[0] = (c76_ptr[0] * 64);
    c78_ptr[0] = (c76_ptr[0] * 2);
    c79_ptr[0] = (c77_ptr[0] + 1);
    c80_ptr[0] = (c78_ptr[0] + 1);
    c81_ptr[0] = (c77_ptr[0] + (lane3 * 2));
    c82_ptr[0] = *(float2*)(p_bias_ptr + ((c81_ptr[0] >> 1) * 2));
    c83_ptr[0] = (c82_ptr[0]).x;
    c84_ptr[0] = (c77_ptr[0] + (lane3 * 2));
    c85_ptr[0] = *(float2*)(p_weight_ptr + ((c84_ptr[0] >> 1) * 2));
    c86_ptr[0] = (c85_ptr[0]).x;
    c87_ptr[0] = own_stripe12_ptr[c78_ptr[0]];
    c88_ptr[0] = __fmul_rn(c87_ptr[0], c73_ptr[0]);
    c89_ptr[0] = __fmul_rn(c88_ptr[0], c86_ptr[0]);
    c90_ptr[0] = (c89_ptr[0] + c83_ptr[0]);
    c91_ptr[0] = (c74_ptr[0] + c77_ptr[0]);
    p_y_ptr[(c91_ptr[0] + (lane3 * 2))] = c90_ptr[0];
    c92_ptr[0] = (c82_ptr[0]).y;
    c93_ptr[0] = (c85_ptr[0]).y;
    c94_ptr[0] = own_stripe12_ptr[c80_ptr[0]];
    c95_ptr[0] = __fmul_rn(c94_ptr[0], c73_ptr[0]);
    c96_ptr[0] = __fmul_rn(c95_ptr[0], c93_ptr[0]);
    c97_ptr[0] = (c96_ptr[0] + c92_ptr[0]);
    c98_ptr[0] = (c91_ptr[0] + 1);
    p_y_ptr[(c98_ptr[0] + (lane3 * 2))] = c97_ptr[0];
  }
  float condval_1;
  if (c22_ptr[0] != (signed char)0) {
    condval_1 = p_bias_ptr[(256 + (lane3 * 2))];
  } else {
    condval_1 = 0x0p+0f/*0.000000e+00*/;
  }
  c99_ptr[0] = condval_1;
  float condval_2;
  if (c22_ptr[0] != (signed char)0) {
    condval_2 = p_weight_ptr[(256 + (lane3 * 2))];
  } else {
    condval_2 = 0x0p+0f/*0.000000e+00*/;
  }
  c100_ptr[0] = condval_2;
  c101_ptr[0] = own_stripe12_ptr[8];
  c102_ptr[0] = __fmul_rn(c101_ptr[0], c73_ptr[0]);
  c103_ptr[0] = __fmul_rn(c102_ptr[0], c100_ptr[0]);
  c104_ptr[0] = (c103_ptr[0] + c99_ptr[0]);
  c105_ptr[0] = (c74_ptr[0] + 256);
  if (c22_ptr[0] != (signed char)0) {
    p_y_ptr[(c105_ptr[0] + (lane3 * 2))] = c104_ptr[0];
  }
}

