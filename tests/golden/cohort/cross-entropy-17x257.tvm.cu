
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
  alignas(64) int c4_ptr[1];
  alignas(64) int c5_ptr[1];
  alignas(64) signed char c6_ptr[1];
  alignas(64) signed char c7_ptr[1];
  alignas(64) int c8_ptr[1];
  alignas(64) int64_t c9_ptr[1];
  alignas(64) int c10_ptr[1];
  alignas(64) int c11_ptr[1];
  alignas(64) int c12_ptr[1];
  alignas(64) float2 c13_ptr[1];
  alignas(64) float c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) float c17_ptr[1];
  alignas(64) int c18_ptr[1];
  alignas(64) signed char c19_ptr[1];
  alignas(64) int c20_ptr[1];
  alignas(64) float c21_ptr[1];
  alignas(64) float c22_ptr[1];
  alignas(64) int c23_ptr[1];
  alignas(64) int c25_ptr[1];
  alignas(64) float c26_ptr[1];
  alignas(64) float c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) float c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) float c31_ptr[1];
  alignas(64) int c33_ptr[1];
  alignas(64) int c34_ptr[1];
  alignas(64) int c35_ptr[1];
  alignas(64) int c36_ptr[1];
  alignas(64) int c37_ptr[1];
  alignas(64) float2 c38_ptr[1];
  alignas(64) float c39_ptr[1];
  alignas(64) float c40_ptr[1];
  alignas(64) float c41_ptr[1];
  alignas(64) int c42_ptr[1];
  alignas(64) float c43_ptr[1];
  alignas(64) float c44_ptr[1];
  alignas(64) float c45_ptr[1];
  alignas(64) int c46_ptr[1];
  alignas(64) int c47_ptr[1];
  alignas(64) signed char c48_ptr[1];
  alignas(64) signed char c49_ptr[1];
  alignas(64) signed char c50_ptr[1];
  alignas(64) signed char c51_ptr[1];
  alignas(64) int c52_ptr[1];
  alignas(64) int c53_ptr[1];
  alignas(64) int c54_ptr[1];
  alignas(64) float2 c55_ptr[1];
  alignas(64) float c56_ptr[1];
  alignas(64) float c57_ptr[1];
  alignas(64) float c58_ptr[1];
  alignas(64) float c59_ptr[1];
  alignas(64) signed char c60_ptr[1];
  alignas(64) int c61_ptr[1];
  alignas(64) signed char c62_ptr[1];
  alignas(64) int c63_ptr[1];
  alignas(64) float c64_ptr[1];
  alignas(64) float c65_ptr[1];
  alignas(64) int c66_ptr[1];
  alignas(64) int c68_ptr[1];
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
  alignas(64) int64_t c92_ptr[1];
  alignas(64) signed char c93_ptr[1];
  alignas(64) signed char c94_ptr[1];
  alignas(64) signed char c95_ptr[1];
  alignas(64) int64_t c96_ptr[1];
  alignas(64) float c97_ptr[1];
  alignas(64) float c98_ptr[1];
  alignas(64) float c99_ptr[1];
  alignas(64) signed char c100_ptr[1];
  alignas(64) float c101_ptr[1];
  alignas(64) int c102_ptr[1];
  alignas(64) float2 c103_ptr[1];
  alignas(64) float c104_ptr[1];
  alignas(64) float c105_ptr[1];
  alignas(64) float c106_ptr[1];
  alignas(64) float c107_ptr[1];
  alignas(64) float c108_ptr[1];
  alignas(64) float c109_ptr[1];
  alignas(64) int c110_ptr[1];
  alignas(64) int c112_ptr[1];
  alignas(64) float c113_ptr[1];
  alignas(64) float c114_ptr[1];
  alignas(64) float c115_ptr[1];
  alignas(64) float c116_ptr[1];
  alignas(64) float c117_ptr[1];
  alignas(64) float c118_ptr[1];
  alignas(64) float c119_ptr[1];
  alignas(64) float c120_ptr[1];
  alignas(64) float c121_ptr[1];
  alignas(64) float c122_ptr[1];
  alignas(64) int c124_ptr[1];
  alignas(64) int c125_ptr[1];
  alignas(64) int c126_ptr[1];
  alignas(64) int c127_ptr[1];
  alignas(64) int c128_ptr[1];
  alignas(64) float2 c129_ptr[1];
  alignas(64) float c130_ptr[1];
  alignas(64) float c131_ptr[1];
  alignas(64) float c132_ptr[1];
  alignas(64) float c133_ptr[1];
  alignas(64) int c134_ptr[1];
  alignas(64) float c135_ptr[1];
  alignas(64) float c136_ptr[1];
  alignas(64) float c137_ptr[1];
  alignas(64) float c138_ptr[1];
  alignas(64) int c139_ptr[1];
  alignas(64) float2 c140_ptr[1];
  alignas(64) float c141_ptr[1];
  alignas(64) float c142_ptr[1];
  alignas(64) float c143_ptr[1];
  alignas(64) float c144_ptr[1];
  alignas(64) float c145_ptr[1];
  alignas(64) float c146_ptr[1];
  alignas(64) int c147_ptr[1];
  alignas(64) int c149_ptr[1];
  alignas(64) float c150_ptr[1];
  alignas(64) float c151_ptr[1];
  alignas(64) float c152_ptr[1];
  alignas(64) float c153_ptr[1];
  alignas(64) float c154_ptr[1];
  alignas(64) float c155_ptr[1];
  alignas(64) float c156_ptr[1];
  alignas(64) float c157_ptr[1];
  alignas(64) float c158_ptr[1];
  alignas(64) float c159_ptr[1];
  alignas(64) float c160_ptr[1];
  alignas(64) float c161_ptr[1];
  alignas(64) float c162_ptr[1];
  alignas(64) float c163_ptr[1];
  alignas(64) float c164_ptr[1];
  alignas(64) float c165_ptr[1];
  alignas(64) float c166_ptr[1];
  alignas(64) float c167_ptr[1];
  alignas(64) float c168_ptr[1];
  alignas(64) float c169_ptr[1];
  alignas(64) float c170_ptr[1];
  alignas(64) float c171_ptr[1];
  alignas(64) float c172_ptr[1];
  int lane1 = (((int)threadIdx.x) & 31);
  int subgroup2 = (((int)threadIdx.x) >> 5);
  c3_ptr[0] = (((int)blockIdx.x) & 1);
  c4_ptr[0] = (c3_ptr[0] + 257);
  c5_ptr[0] = (lane1 * 2);
  c6_ptr[0] = ((c5_ptr[0] >= c3_ptr[0]) ? (signed char)1 : (signed char)0);
  c7_ptr[0] = ((((c6_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c8_ptr[0] = (((int)blockIdx.x) * 257);
  c9_ptr[0] = ((int64_t)c8_ptr[0]);
  c10_ptr[0] = (c8_ptr[0] & -2);
  c11_ptr[0] = (c10_ptr[0] + 1);
  c12_ptr[0] = (c10_ptr[0] + (lane1 * 2));
  float2 condval;
  if (c6_ptr[0] != (signed char)0) {
    condval = *(float2*)(p_logits_ptr + ((c12_ptr[0] >> 1) * 2));
  } else {
    condval = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c13_ptr[0] = condval;
  c14_ptr[0] = (c13_ptr[0]).x;
  c15_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c14_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c16_ptr[0] = (c13_ptr[0]).y;
  c17_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c16_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c18_ptr[0] = __any_sync((uint)4294967295, ((c7_ptr[0] != (signed char)0) ? 1 : 0));
  c19_ptr[0] = ((c18_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c20_ptr[0] = ((c19_ptr[0] != (signed char)0) ? 1 : 0);
  c21_ptr[0] = c15_ptr[0];
  c22_ptr[0] = c17_ptr[0];
  c23_ptr[0] = (c20_ptr[0] - 0);
  for (int i24 = 0; i24 < c23_ptr[0]; ++i24) {
    c25_ptr[0] = (0 + i24);
    float condval_1;
    if (c7_ptr[0] != (signed char)0) {
      condval_1 = p_logits_ptr[(c11_ptr[0] + (lane1 * 2))];
    } else {
      condval_1 = c22_ptr[0];
    }
    c26_ptr[0] = condval_1;
    c27_ptr[0] = c21_ptr[0];
    c21_ptr[0] = c27_ptr[0];
    c22_ptr[0] = c26_ptr[0];
  }
  c28_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c21_ptr[0] : __int_as_float(-8388608));
  c29_ptr[0] = ((c28_ptr[0] > c22_ptr[0]) ? c28_ptr[0] : c22_ptr[0]);
  c30_ptr[0] = (!(c28_ptr[0] <= __int_as_float(2139095040)) ? c28_ptr[0] : c29_ptr[0]);
  c31_ptr[0] = c30_ptr[0];
  for (int i32 = 0; i32 < 3; ++i32) {
    c33_ptr[0] = (0 + i32);
    c34_ptr[0] = (c33_ptr[0] * 64);
    c35_ptr[0] = (c10_ptr[0] + c34_ptr[0]);
    c36_ptr[0] = (c35_ptr[0] + 64);
    c37_ptr[0] = ((c35_ptr[0] + 64) + (lane1 * 2));
    c38_ptr[0] = *(float2*)(p_logits_ptr + ((c37_ptr[0] >> 1) * 2));
    c39_ptr[0] = (c38_ptr[0]).x;
    c40_ptr[0] = ((c31_ptr[0] > c39_ptr[0]) ? c31_ptr[0] : c39_ptr[0]);
    c41_ptr[0] = (!(c31_ptr[0] <= __int_as_float(2139095040)) ? c31_ptr[0] : c40_ptr[0]);
    c42_ptr[0] = (c35_ptr[0] + 65);
    c43_ptr[0] = (c38_ptr[0]).y;
    c44_ptr[0] = ((c41_ptr[0] > c43_ptr[0]) ? c41_ptr[0] : c43_ptr[0]);
    c45_ptr[0] = (!(c41_ptr[0] <= __int_as_float(2139095040)) ? c41_ptr[0] : c44_ptr[0]);
    c31_ptr[0] = c45_ptr[0];
  }
  c46_ptr[0] = (c5_ptr[0] + 256);
  c47_ptr[0] = (c5_ptr[0] + 257);
  c48_ptr[0] = ((c46_ptr[0] < c4_ptr[0]) ? (signed char)1 : (signed char)0);
  c49_ptr[0] = ((c47_ptr[0] < c4_ptr[0]) ? (signed char)1 : (signed char)0);
  c50_ptr[0] = ((((c49_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c51_ptr[0] = (((c48_ptr[0] != (signed char)0) && (c50_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c52_ptr[0] = (c10_ptr[0] + 256);
  c53_ptr[0] = (c10_ptr[0] + 257);
  c54_ptr[0] = ((c10_ptr[0] + 256) + (lane1 * 2));
  float2 condval_2;
  if (c49_ptr[0] != (signed char)0) {
    condval_2 = *(float2*)(p_logits_ptr + ((c54_ptr[0] >> 1) * 2));
  } else {
    condval_2 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c55_ptr[0] = condval_2;
  c56_ptr[0] = (c55_ptr[0]).x;
  c57_ptr[0] = ((c49_ptr[0] != (signed char)0) ? c56_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c58_ptr[0] = (c55_ptr[0]).y;
  c59_ptr[0] = ((c49_ptr[0] != (signed char)0) ? c58_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c60_ptr[0] = (((c48_ptr[0] != (signed char)0) && (c51_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c61_ptr[0] = __any_sync((uint)4294967295, ((c51_ptr[0] != (signed char)0) ? 1 : 0));
  c62_ptr[0] = ((c61_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c63_ptr[0] = ((c62_ptr[0] != (signed char)0) ? 1 : 0);
  c64_ptr[0] = c57_ptr[0];
  c65_ptr[0] = c59_ptr[0];
  c66_ptr[0] = (c63_ptr[0] - 0);
  for (int i67 = 0; i67 < c66_ptr[0]; ++i67) {
    c68_ptr[0] = (0 + i67);
    float condval_3;
    if (c60_ptr[0] != (signed char)0) {
      condval_3 = p_logits_ptr[(c52_ptr[0] + (lane1 * 2))];
    } else {
      condval_3 = c64_ptr[0];
    }
    c69_ptr[0] = condval_3;
    c70_ptr[0] = c65_ptr[0];
    c64_ptr[0] = c69_ptr[0];
    c65_ptr[0] = c70_ptr[0];
  }
  c71_ptr[0] = ((c31_ptr[0] > c64_ptr[0]) ? c31_ptr[0] : c64_ptr[0]);
  c72_ptr[0] = (!(c31_ptr[0] <= __int_as_float(2139095040)) ? c31_ptr[0] : c71_ptr[0]);
  c73_ptr[0] = ((c48_ptr[0] != (signed char)0) ? c72_ptr[0] : c31_ptr[0]);
  c74_ptr[0] = ((c73_ptr[0] > c65_ptr[0]) ? c73_ptr[0] : c65_ptr[0]);
  c75_ptr[0] = (!(c73_ptr[0] <= __int_as_float(2139095040)) ? c73_ptr[0] : c74_ptr[0]);
  c76_ptr[0] = ((c49_ptr[0] != (signed char)0) ? c75_ptr[0] : c73_ptr[0]);
  c77_ptr[0] = __shfl_xor_sync((uint)4294967295, c76_ptr[0], 16);
  c78_ptr[0] = ((c76_ptr[0] > c77_ptr[0]) ? c76_ptr[0] : c77_ptr[0]);
  c79_ptr[0] = (!(c76_ptr[0] <= __int_as_float(2139095040)) ? c76_ptr[0] : c78_ptr[0]);
  c80_ptr[0] = __shfl_xor_sync((uint)4294967295, c79_ptr[0], 8);
  c81_ptr[0] = ((c79_ptr[0] > c80_ptr[0]) ? c79_ptr[0] : c80_ptr[0]);
  c82_ptr[0] = (!(c79_ptr[0] <= __int_as_float(2139095040)) ? c79_ptr[0] : c81_ptr[0]);
  c83_ptr[0] = __shfl_xor_sync((uint)4294967295, c82_ptr[0], 4);
  c84_ptr[0] = ((c82_ptr[0] > c83_ptr[0]) ? c82_ptr[0] : c83_ptr[0]);
  c85_ptr[0] = (!(c82_ptr[0] <= __int_as_float(2139095040)) ? c82_ptr[0] : c84_ptr[0]);
  c86_ptr[0] = __shfl_xor_sync((uint)4294967295, c85_ptr[0], 2);
  c87_ptr[0] = ((c85_ptr[0] > c86_ptr[0]) ? c85_ptr[0] : c86_ptr[0]);
  c88_ptr[0] = (!(c85_ptr[0] <= __int_as_float(2139095040)) ? c85_ptr[0] : c87_ptr[0]);
  c89_ptr[0] = __shfl_xor_sync((uint)4294967295, c88_ptr[0], 1);
  c90_ptr[0] = ((c88_ptr[0] > c89_ptr[0]) ? c88_ptr[0] : c89_ptr[0]);
  c91_ptr[0] = (!(c88_ptr[0] <= __int_as_float(2139095040)) ? c88_ptr[0] : c90_ptr[0]);
  c92_ptr[0] = p_labels_ptr[((int)blockIdx.x)];
  c93_ptr[0] = ((c92_ptr[0] >= (int64_t)0) ? (signed char)1 : (signed char)0);
  c94_ptr[0] = ((c92_ptr[0] < (int64_t)257) ? (signed char)1 : (signed char)0);
  c95_ptr[0] = (((c93_ptr[0] != (signed char)0) && (c94_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c96_ptr[0] = ((int64_t)(((uint64_t)c9_ptr[0]) + ((uint64_t)c92_ptr[0])));
  float condval_4;
  if (c95_ptr[0] != (signed char)0) {
    condval_4 = p_logits_ptr[c96_ptr[0]];
  } else {
    condval_4 = 0x0p+0f/*0.000000e+00*/;
  }
  c97_ptr[0] = condval_4;
  c98_ptr[0] = ((c95_ptr[0] != (signed char)0) ? c97_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c99_ptr[0] = fabsf(c91_ptr[0]);
  c100_ptr[0] = ((c99_ptr[0] < __int_as_float(2139095040)) ? (signed char)1 : (signed char)0);
  c101_ptr[0] = ((c100_ptr[0] != (signed char)0) ? c91_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c102_ptr[0] = (c10_ptr[0] + (lane1 * 2));
  float2 condval_5;
  if (c6_ptr[0] != (signed char)0) {
    condval_5 = *(float2*)(p_logits_ptr + ((c102_ptr[0] >> 1) * 2));
  } else {
    condval_5 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c103_ptr[0] = condval_5;
  c104_ptr[0] = (c103_ptr[0]).x;
  c105_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c104_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c106_ptr[0] = (c103_ptr[0]).y;
  c107_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c106_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c108_ptr[0] = c105_ptr[0];
  c109_ptr[0] = c107_ptr[0];
  c110_ptr[0] = (c20_ptr[0] - 0);
  for (int i111 = 0; i111 < c110_ptr[0]; ++i111) {
    c112_ptr[0] = (0 + i111);
    float condval_6;
    if (c7_ptr[0] != (signed char)0) {
      condval_6 = p_logits_ptr[(c11_ptr[0] + (lane1 * 2))];
    } else {
      condval_6 = c109_ptr[0];
    }
    c113_ptr[0] = condval_6;
    c114_ptr[0] = c108_ptr[0];
    c108_ptr[0] = c114_ptr[0];
    c109_ptr[0] = c113_ptr[0];
  }
  c115_ptr[0] = (c108_ptr[0] - c101_ptr[0]);
  c116_ptr[0] = expf(c115_ptr[0]);
  c117_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c116_ptr[0]);
  c118_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c117_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c119_ptr[0] = (c109_ptr[0] - c101_ptr[0]);
  c120_ptr[0] = expf(c119_ptr[0]);
  c121_ptr[0] = (c118_ptr[0] + c120_ptr[0]);
  c122_ptr[0] = c121_ptr[0];
  for (int i123 = 0; i123 < 3; ++i123) {
    c124_ptr[0] = (0 + i123);
    c125_ptr[0] = (c124_ptr[0] * 64);
    c126_ptr[0] = (c10_ptr[0] + c125_ptr[0]);
    c127_ptr[0] = (c126_ptr[0] + 64);
    c128_ptr[0] = ((c126_ptr[0] + 64) + (lane1 * 2));
    c129_ptr[0] = *(float2*)(p_logits_ptr + ((c128_ptr[0] >> 1) * 2));
    c130_ptr[0] = (c129_ptr[0]).x;
    c131_ptr[0] = (c130_ptr[0] - c101_ptr[0]);
    c132_ptr[0] = expf(c131_ptr[0]);
    c133_ptr[0] = (c122_ptr[0] + c132_ptr[0]);
    c134_ptr[0] = (c126_ptr[0] + 65);
    c135_ptr[0] = (c129_ptr[0]).y;
    c136_ptr[0] = (c135_ptr[0] - c101_ptr[0]);
    c137_ptr[0] = expf(c136_ptr[0]);
    c138_ptr[0] = (c133_ptr[0] + c137_ptr[0]);
    c122_ptr[0] = c138_ptr[0];
  }
  c139_ptr[0] = ((c10_ptr[0] + 256) + (lane1 * 2));
  float2 condval_7;
  if (c49_ptr[0] != (signed char)0) {
    condval_7 = *(float2*)(p_logits_ptr + ((c139_ptr[0] >> 1) * 2));
  } else {
    condval_7 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c140_ptr[0] = condval_7;
  c141_ptr[0] = (c140_ptr[0]).x;
  c142_ptr[0] = ((c49_ptr[0] != (signed char)0) ? c141_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c143_ptr[0] = (c140_ptr[0]).y;
  c144_ptr[0] = ((c49_ptr[0] != (signed char)0) ? c143_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c145_ptr[0] = c142_ptr[0];
  c146_ptr[0] = c144_ptr[0];
  c147_ptr[0] = (c63_ptr[0] - 0);
  for (int i148 = 0; i148 < c147_ptr[0]; ++i148) {
    c149_ptr[0] = (0 + i148);
    float condval_8;
    if (c60_ptr[0] != (signed char)0) {
      condval_8 = p_logits_ptr[(c52_ptr[0] + (lane1 * 2))];
    } else {
      condval_8 = c145_ptr[0];
    }
    c150_ptr[0] = condval_8;
    c151_ptr[0] = c146_ptr[0];
    c145_ptr[0] = c150_ptr[0];
    c146_ptr[0] = c151_ptr[0];
  }
  c152_ptr[0] = (c145_ptr[0] - c101_ptr[0]);
  c153_ptr[0] = expf(c152_ptr[0]);
  c154_ptr[0] = (c122_ptr[0] + c153_ptr[0]);
  c155_ptr[0] = ((c48_ptr[0] != (signed char)0) ? c154_ptr[0] : c122_ptr[0]);
  c156_ptr[0] = (c146_ptr[0] - c101_ptr[0]);
  c157_ptr[0] = expf(c156_ptr[0]);
  c158_ptr[0] = (c155_ptr[0] + c157_ptr[0]);
  c159_ptr[0] = ((c49_ptr[0] != (signed char)0) ? c158_ptr[0] : c155_ptr[0]);
  c160_ptr[0] = __shfl_xor_sync((uint)4294967295, c159_ptr[0], 16);
  c161_ptr[0] = (c159_ptr[0] + c160_ptr[0]);
  c162_ptr[0] = __shfl_xor_sync((uint)4294967295, c161_ptr[0], 8);
  c163_ptr[0] = (c161_ptr[0] + c162_ptr[0]);
  c164_ptr[0] = __shfl_xor_sync((uint)4294967295, c163_ptr[0], 4);
  c165_ptr[0] = (c163_ptr[0] + c164_ptr[0]);
  c166_ptr[0] = __shfl_xor_sync((uint)4294967295, c165_ptr[0], 2);
  c167_ptr[0] = (c165_ptr[0] + c166_ptr[0]);
  c168_ptr[0] = __shfl_xor_sync((uint)4294967295, c167_ptr[0], 1);
  c169_ptr[0] = (c167_ptr[0] + c168_ptr[0]);
  c170_ptr[0] = logf(c169_ptr[0]);
  c171_ptr[0] = (c101_ptr[0] - c98_ptr[0]);
  c172_ptr[0] = (c171_ptr[0] + c170_ptr[0]);
  if (lane1 == 0) {
    p_loss_ptr[((int)blockIdx.x)] = c172_ptr[0];
  }
}

