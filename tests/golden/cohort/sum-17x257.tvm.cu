
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
  alignas(64) int c4_ptr[1];
  alignas(64) int c5_ptr[1];
  alignas(64) signed char c6_ptr[1];
  alignas(64) signed char c7_ptr[1];
  alignas(64) int c8_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) int c10_ptr[1];
  alignas(64) int c11_ptr[1];
  alignas(64) float2 c12_ptr[1];
  alignas(64) float c13_ptr[1];
  alignas(64) float c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) int c17_ptr[1];
  alignas(64) signed char c18_ptr[1];
  alignas(64) int c19_ptr[1];
  alignas(64) float c20_ptr[1];
  alignas(64) float c21_ptr[1];
  alignas(64) int c22_ptr[1];
  alignas(64) int c24_ptr[1];
  alignas(64) float c25_ptr[1];
  alignas(64) float c26_ptr[1];
  alignas(64) float c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) float c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) int c32_ptr[1];
  alignas(64) int c33_ptr[1];
  alignas(64) int c34_ptr[1];
  alignas(64) int c35_ptr[1];
  alignas(64) int c36_ptr[1];
  alignas(64) float2 c37_ptr[1];
  alignas(64) float c38_ptr[1];
  alignas(64) float c39_ptr[1];
  alignas(64) int c40_ptr[1];
  alignas(64) float c41_ptr[1];
  alignas(64) float c42_ptr[1];
  alignas(64) int c43_ptr[1];
  alignas(64) int c44_ptr[1];
  alignas(64) signed char c45_ptr[1];
  alignas(64) signed char c46_ptr[1];
  alignas(64) signed char c47_ptr[1];
  alignas(64) signed char c48_ptr[1];
  alignas(64) int c49_ptr[1];
  alignas(64) int c50_ptr[1];
  alignas(64) int c51_ptr[1];
  alignas(64) float2 c52_ptr[1];
  alignas(64) float c53_ptr[1];
  alignas(64) float c54_ptr[1];
  alignas(64) float c55_ptr[1];
  alignas(64) float c56_ptr[1];
  alignas(64) signed char c57_ptr[1];
  alignas(64) int c58_ptr[1];
  alignas(64) signed char c59_ptr[1];
  alignas(64) int c60_ptr[1];
  alignas(64) float c61_ptr[1];
  alignas(64) float c62_ptr[1];
  alignas(64) int c63_ptr[1];
  alignas(64) int c65_ptr[1];
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
  alignas(64) float c77_ptr[1];
  alignas(64) float c78_ptr[1];
  alignas(64) float c79_ptr[1];
  alignas(64) float c80_ptr[1];
  alignas(64) float c81_ptr[1];
  int lane1 = (((int)threadIdx.x) & 31);
  int subgroup2 = (((int)threadIdx.x) >> 5);
  c3_ptr[0] = (((int)blockIdx.x) & 1);
  c4_ptr[0] = (c3_ptr[0] + 257);
  c5_ptr[0] = (lane1 * 2);
  c6_ptr[0] = ((c5_ptr[0] >= c3_ptr[0]) ? (signed char)1 : (signed char)0);
  c7_ptr[0] = ((((c6_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c8_ptr[0] = (((int)blockIdx.x) * 257);
  c9_ptr[0] = (c8_ptr[0] & -2);
  c10_ptr[0] = (c9_ptr[0] + 1);
  c11_ptr[0] = (c9_ptr[0] + (lane1 * 2));
  float2 condval;
  if (c6_ptr[0] != (signed char)0) {
    condval = *(float2*)(p_x_ptr + ((c11_ptr[0] >> 1) * 2));
  } else {
    condval = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c12_ptr[0] = condval;
  c13_ptr[0] = (c12_ptr[0]).x;
  c14_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c13_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c15_ptr[0] = (c12_ptr[0]).y;
  c16_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c15_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c17_ptr[0] = __any_sync((uint)4294967295, ((c7_ptr[0] != (signed char)0) ? 1 : 0));
  c18_ptr[0] = ((c17_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c19_ptr[0] = ((c18_ptr[0] != (signed char)0) ? 1 : 0);
  c20_ptr[0] = c14_ptr[0];
  c21_ptr[0] = c16_ptr[0];
  c22_ptr[0] = (c19_ptr[0] - 0);
  for (int i23 = 0; i23 < c22_ptr[0]; ++i23) {
    c24_ptr[0] = (0 + i23);
    float condval_1;
    if (c7_ptr[0] != (signed char)0) {
      condval_1 = p_x_ptr[(c10_ptr[0] + (lane1 * 2))];
    } else {
      condval_1 = c21_ptr[0];
    }
    c25_ptr[0] = condval_1;
    c26_ptr[0] = c20_ptr[0];
    c20_ptr[0] = c26_ptr[0];
    c21_ptr[0] = c25_ptr[0];
  }
  c27_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c20_ptr[0]);
  c28_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c27_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c29_ptr[0] = (c28_ptr[0] + c21_ptr[0]);
  c30_ptr[0] = c29_ptr[0];
  for (int i31 = 0; i31 < 3; ++i31) {
    c32_ptr[0] = (0 + i31);
    c33_ptr[0] = (c32_ptr[0] * 64);
    c34_ptr[0] = (c9_ptr[0] + c33_ptr[0]);
    c35_ptr[0] = (c34_ptr[0] + 64);
    c36_ptr[0] = ((c34_ptr[0] + 64) + (lane1 * 2));
    c37_ptr[0] = *(float2*)(p_x_ptr + ((c36_ptr[0] >> 1) * 2));
    c38_ptr[0] = (c37_ptr[0]).x;
    c39_ptr[0] = (c30_ptr[0] + c38_ptr[0]);
    c40_ptr[0] = (c34_ptr[0] + 65);
    c41_ptr[0] = (c37_ptr[0]).y;
    c42_ptr[0] = (c39_ptr[0] + c41_ptr[0]);
    c30_ptr[0] = c42_ptr[0];
  }
  c43_ptr[0] = (c5_ptr[0] + 256);
  c44_ptr[0] = (c5_ptr[0] + 257);
  c45_ptr[0] = ((c43_ptr[0] < c4_ptr[0]) ? (signed char)1 : (signed char)0);
  c46_ptr[0] = ((c44_ptr[0] < c4_ptr[0]) ? (signed char)1 : (signed char)0);
  c47_ptr[0] = ((((c46_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c48_ptr[0] = (((c45_ptr[0] != (signed char)0) && (c47_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c49_ptr[0] = (c9_ptr[0] + 256);
  c50_ptr[0] = (c9_ptr[0] + 257);
  c51_ptr[0] = ((c9_ptr[0] + 256) + (lane1 * 2));
  float2 condval_2;
  if (c46_ptr[0] != (signed char)0) {
    condval_2 = *(float2*)(p_x_ptr + ((c51_ptr[0] >> 1) * 2));
  } else {
    condval_2 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c52_ptr[0] = condval_2;
  c53_ptr[0] = (c52_ptr[0]).x;
  c54_ptr[0] = ((c46_ptr[0] != (signed char)0) ? c53_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c55_ptr[0] = (c52_ptr[0]).y;
  c56_ptr[0] = ((c46_ptr[0] != (signed char)0) ? c55_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c57_ptr[0] = (((c45_ptr[0] != (signed char)0) && (c48_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c58_ptr[0] = __any_sync((uint)4294967295, ((c48_ptr[0] != (signed char)0) ? 1 : 0));
  c59_ptr[0] = ((c58_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c60_ptr[0] = ((c59_ptr[0] != (signed char)0) ? 1 : 0);
  c61_ptr[0] = c54_ptr[0];
  c62_ptr[0] = c56_ptr[0];
  c63_ptr[0] = (c60_ptr[0] - 0);
  for (int i64 = 0; i64 < c63_ptr[0]; ++i64) {
    c65_ptr[0] = (0 + i64);
    float condval_3;
    if (c57_ptr[0] != (signed char)0) {
      condval_3 = p_x_ptr[(c49_ptr[0] + (lane1 * 2))];
    } else {
      condval_3 = c61_ptr[0];
    }
    c66_ptr[0] = condval_3;
    c67_ptr[0] = c62_ptr[0];
    c61_ptr[0] = c66_ptr[0];
    c62_ptr[0] = c67_ptr[0];
  }
  c68_ptr[0] = (c30_ptr[0] + c61_ptr[0]);
  c69_ptr[0] = ((c45_ptr[0] != (signed char)0) ? c68_ptr[0] : c30_ptr[0]);
  c70_ptr[0] = (c69_ptr[0] + c62_ptr[0]);
  c71_ptr[0] = ((c46_ptr[0] != (signed char)0) ? c70_ptr[0] : c69_ptr[0]);
  c72_ptr[0] = __shfl_xor_sync((uint)4294967295, c71_ptr[0], 16);
  c73_ptr[0] = (c71_ptr[0] + c72_ptr[0]);
  c74_ptr[0] = __shfl_xor_sync((uint)4294967295, c73_ptr[0], 8);
  c75_ptr[0] = (c73_ptr[0] + c74_ptr[0]);
  c76_ptr[0] = __shfl_xor_sync((uint)4294967295, c75_ptr[0], 4);
  c77_ptr[0] = (c75_ptr[0] + c76_ptr[0]);
  c78_ptr[0] = __shfl_xor_sync((uint)4294967295, c77_ptr[0], 2);
  c79_ptr[0] = (c77_ptr[0] + c78_ptr[0]);
  c80_ptr[0] = __shfl_xor_sync((uint)4294967295, c79_ptr[0], 1);
  c81_ptr[0] = (c79_ptr[0] + c80_ptr[0]);
  if (lane1 == 0) {
    p_y_ptr[((int)blockIdx.x)] = c81_ptr[0];
  }
}

