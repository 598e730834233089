
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
  alignas(64) int c4_ptr[1];
  alignas(64) int c5_ptr[1];
  alignas(64) int c6_ptr[1];
  alignas(64) int c7_ptr[1];
  alignas(64) signed char c8_ptr[1];
  alignas(64) signed char c9_ptr[1];
  alignas(64) int c10_ptr[1];
  alignas(64) int c11_ptr[1];
  alignas(64) int c12_ptr[1];
  alignas(64) int c13_ptr[1];
  alignas(64) float2 c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) float c17_ptr[1];
  alignas(64) float c18_ptr[1];
  alignas(64) int c19_ptr[1];
  alignas(64) signed char c20_ptr[1];
  alignas(64) int c21_ptr[1];
  alignas(64) signed char c22_ptr[1];
  alignas(64) float c23_ptr[1];
  alignas(64) float c24_ptr[1];
  alignas(64) int c25_ptr[1];
  alignas(64) int c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) float c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) float c31_ptr[1];
  alignas(64) float c32_ptr[1];
  alignas(64) float c33_ptr[1];
  alignas(64) float c34_ptr[1];
  alignas(64) float c35_ptr[1];
  alignas(64) int c37_ptr[1];
  alignas(64) int c38_ptr[1];
  alignas(64) int c39_ptr[1];
  alignas(64) int c40_ptr[1];
  alignas(64) int c41_ptr[1];
  alignas(64) float2 c42_ptr[1];
  alignas(64) float c43_ptr[1];
  alignas(64) float c44_ptr[1];
  alignas(64) int c45_ptr[1];
  alignas(64) float c46_ptr[1];
  alignas(64) float c47_ptr[1];
  alignas(64) int c48_ptr[1];
  alignas(64) int c49_ptr[1];
  alignas(64) signed char c50_ptr[1];
  alignas(64) signed char c51_ptr[1];
  alignas(64) signed char c52_ptr[1];
  alignas(64) signed char c53_ptr[1];
  alignas(64) signed char c54_ptr[1];
  alignas(64) signed char c55_ptr[1];
  alignas(64) int c56_ptr[1];
  alignas(64) int c57_ptr[1];
  alignas(64) int c58_ptr[1];
  alignas(64) float2 c59_ptr[1];
  alignas(64) float c60_ptr[1];
  alignas(64) float c61_ptr[1];
  alignas(64) float c62_ptr[1];
  alignas(64) float c63_ptr[1];
  alignas(64) int c64_ptr[1];
  alignas(64) signed char c65_ptr[1];
  alignas(64) int c66_ptr[1];
  alignas(64) signed char c67_ptr[1];
  alignas(64) signed char c68_ptr[1];
  alignas(64) float c69_ptr[1];
  alignas(64) float c70_ptr[1];
  alignas(64) int c71_ptr[1];
  alignas(64) int c73_ptr[1];
  alignas(64) float c74_ptr[1];
  alignas(64) float c75_ptr[1];
  alignas(64) float c76_ptr[1];
  alignas(64) float c77_ptr[1];
  alignas(64) float c78_ptr[1];
  alignas(64) float c79_ptr[1];
  alignas(64) float c80_ptr[1];
  alignas(64) float c81_ptr[1];
  alignas(64) float c82_ptr[1];
  alignas(64) float c83_ptr[1];
  alignas(64) float c84_ptr[1];
  alignas(64) float c85_ptr[1];
  alignas(64) float c86_ptr[1];
  alignas(64) float c87_ptr[1];
  alignas(64) float c88_ptr[1];
  alignas(64) float c89_ptr[1];
  alignas(64) float c90_ptr[1];
  alignas(64) float c91_ptr[1];
  int lane1 = (((int)threadIdx.x) & 31);
  int subgroup2 = (((int)threadIdx.x) >> 5);
  int64_t group3 = ((int64_t)((int)blockIdx.x));
  c4_ptr[0] = ((int)group3);
  c5_ptr[0] = (c4_ptr[0] & 1);
  c6_ptr[0] = (c5_ptr[0] + 257);
  c7_ptr[0] = (lane1 * 2);
  c8_ptr[0] = ((c7_ptr[0] >= c5_ptr[0]) ? (signed char)1 : (signed char)0);
  c9_ptr[0] = ((((c8_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c10_ptr[0] = (c4_ptr[0] * 257);
  c11_ptr[0] = (c10_ptr[0] & -2);
  c12_ptr[0] = (c11_ptr[0] + 1);
  c13_ptr[0] = (c11_ptr[0] + (lane1 * 2));
  float2 condval;
  if (c8_ptr[0] != (signed char)0) {
    condval = *(float2*)(p_x_ptr + ((c13_ptr[0] >> 1) * 2));
  } else {
    condval = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c14_ptr[0] = condval;
  c15_ptr[0] = (c14_ptr[0]).x;
  c16_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c15_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c17_ptr[0] = (c14_ptr[0]).y;
  c18_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c17_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c19_ptr[0] = __any_sync((uint)4294967295, ((c9_ptr[0] != (signed char)0) ? 1 : 0));
  c20_ptr[0] = ((c19_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c21_ptr[0] = ((c20_ptr[0] != (signed char)0) ? 1 : 0);
  c22_ptr[0] = (((c8_ptr[0] != (signed char)0) && (c9_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c23_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c24_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c25_ptr[0] = (c21_ptr[0] - 0);
  for (int i26 = 0; i26 < c25_ptr[0]; ++i26) {
    c27_ptr[0] = (0 + i26);
    float condval_1;
    if (c22_ptr[0] != (signed char)0) {
      condval_1 = p_x_ptr[(c11_ptr[0] + (lane1 * 2))];
    } else {
      condval_1 = 0x0p+0f/*0.000000e+00*/;
    }
    c28_ptr[0] = condval_1;
    float condval_2;
    if (c9_ptr[0] != (signed char)0) {
      condval_2 = p_x_ptr[(c12_ptr[0] + (lane1 * 2))];
    } else {
      condval_2 = 0x0p+0f/*0.000000e+00*/;
    }
    c29_ptr[0] = condval_2;
    c23_ptr[0] = c28_ptr[0];
    c24_ptr[0] = c29_ptr[0];
  }
  c30_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c16_ptr[0] : c23_ptr[0]);
  c31_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c18_ptr[0] : c24_ptr[0]);
  c32_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c30_ptr[0]);
  c33_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c32_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c34_ptr[0] = (c33_ptr[0] + c31_ptr[0]);
  c35_ptr[0] = c34_ptr[0];
  for (int i36 = 0; i36 < 3; ++i36) {
    c37_ptr[0] = (0 + i36);
    c38_ptr[0] = (c37_ptr[0] * 64);
    c39_ptr[0] = (c11_ptr[0] + c38_ptr[0]);
    c40_ptr[0] = (c39_ptr[0] + 64);
    c41_ptr[0] = ((c39_ptr[0] + 64) + (lane1 * 2));
    c42_ptr[0] = *(float2*)(p_x_ptr + ((c41_ptr[0] >> 1) * 2));
    c43_ptr[0] = (c42_ptr[0]).x;
    c44_ptr[0] = (c35_ptr[0] + c43_ptr[0]);
    c45_ptr[0] = (c39_ptr[0] + 65);
    c46_ptr[0] = (c42_ptr[0]).y;
    c47_ptr[0] = (c44_ptr[0] + c46_ptr[0]);
    c35_ptr[0] = c47_ptr[0];
  }
  c48_ptr[0] = (c7_ptr[0] + 256);
  c49_ptr[0] = (c7_ptr[0] + 257);
  c50_ptr[0] = ((c48_ptr[0] < c6_ptr[0]) ? (signed char)1 : (signed char)0);
  c51_ptr[0] = ((c49_ptr[0] < c6_ptr[0]) ? (signed char)1 : (signed char)0);
  c52_ptr[0] = (((c50_ptr[0] != (signed char)0) && (c51_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c53_ptr[0] = (((c50_ptr[0] != (signed char)0) || (c51_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c54_ptr[0] = ((((c52_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c55_ptr[0] = (((c53_ptr[0] != (signed char)0) && (c54_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c56_ptr[0] = (c11_ptr[0] + 256);
  c57_ptr[0] = (c11_ptr[0] + 257);
  c58_ptr[0] = ((c11_ptr[0] + 256) + (lane1 * 2));
  float2 condval_3;
  if (c52_ptr[0] != (signed char)0) {
    condval_3 = *(float2*)(p_x_ptr + ((c58_ptr[0] >> 1) * 2));
  } else {
    condval_3 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c59_ptr[0] = condval_3;
  c60_ptr[0] = (c59_ptr[0]).x;
  c61_ptr[0] = ((c52_ptr[0] != (signed char)0) ? c60_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c62_ptr[0] = (c59_ptr[0]).y;
  c63_ptr[0] = ((c52_ptr[0] != (signed char)0) ? c62_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c64_ptr[0] = __any_sync((uint)4294967295, ((c55_ptr[0] != (signed char)0) ? 1 : 0));
  c65_ptr[0] = ((c64_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c66_ptr[0] = ((c65_ptr[0] != (signed char)0) ? 1 : 0);
  c67_ptr[0] = (((c50_ptr[0] != (signed char)0) && (c55_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c68_ptr[0] = (((c51_ptr[0] != (signed char)0) && (c55_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c69_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c70_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c71_ptr[0] = (c66_ptr[0] - 0);
  for (int i72 = 0; i72 < c71_ptr[0]; ++i72) {
    c73_ptr[0] = (0 + i72);
    float condval_4;
    if (c67_ptr[0] != (signed char)0) {
      condval_4 = p_x_ptr[(c56_ptr[0] + (lane1 * 2))];
    } else {
      condval_4 = 0x0p+0f/*0.000000e+00*/;
    }
    c74_ptr[0] = condval_4;
    float condval_5;
    if (c68_ptr[0] != (signed char)0) {
      condval_5 = p_x_ptr[(c57_ptr[0] + (lane1 * 2))];
    } else {
      condval_5 = 0x0p+0f/*0.000000e+00*/;
    }
    c75_ptr[0] = condval_5;
    c69_ptr[0] = c74_ptr[0];
    c70_ptr[0] = c75_ptr[0];
  }
  c76_ptr[0] = ((c52_ptr[0] != (signed char)0) ? c61_ptr[0] : c69_ptr[0]);
  c77_ptr[0] = ((c52_ptr[0] != (signed char)0) ? c63_ptr[0] : c70_ptr[0]);
  c78_ptr[0] = (c35_ptr[0] + c76_ptr[0]);
  c79_ptr[0] = ((c50_ptr[0] != (signed char)0) ? c78_ptr[0] : c35_ptr[0]);
  c80_ptr[0] = (c79_ptr[0] + c77_ptr[0]);
  c81_ptr[0] = ((c51_ptr[0] != (signed char)0) ? c80_ptr[0] : c79_ptr[0]);
  c82_ptr[0] = __shfl_xor_sync((uint)4294967295, c81_ptr[0], 16);
  c83_ptr[0] = (c81_ptr[0] + c82_ptr[0]);
  c84_ptr[0] = __shfl_xor_sync((uint)4294967295, c83_ptr[0], 8);
  c85_ptr[0] = (c83_ptr[0] + c84_ptr[0]);
  c86_ptr[0] = __shfl_xor_sync((uint)4294967295, c85_ptr[0], 4);
  c87_ptr[0] = (c85_ptr[0] + c86_ptr[0]);
  c88_ptr[0] = __shfl_xor_sync((uint)4294967295, c87_ptr[0], 2);
  c89_ptr[0] = (c87_ptr[0] + c88_ptr[0]);
  c90_ptr[0] = __shfl_xor_sync((uint)4294967295, c89_ptr[0], 1);
  c91_ptr[0] = (c89_ptr[0] + c90_ptr[0]);
  if (lane1 == 0) {
    p_y_ptr[c4_ptr[0]] = c91_ptr[0];
  }
}

