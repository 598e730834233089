
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
  alignas(64) int64_t c4_ptr[1];
  alignas(64) int c5_ptr[1];
  alignas(64) int c6_ptr[1];
  alignas(64) int c7_ptr[1];
  alignas(64) signed char c8_ptr[1];
  alignas(64) signed char c9_ptr[1];
  alignas(64) int64_t c10_ptr[1];
  alignas(64) int64_t c11_ptr[1];
  alignas(64) int64_t c12_ptr[1];
  alignas(64) int64_t c13_ptr[1];
  alignas(64) float2 c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) float c17_ptr[1];
  alignas(64) float c18_ptr[1];
  alignas(64) int c19_ptr[1];
  alignas(64) signed char c20_ptr[1];
  alignas(64) int64_t c21_ptr[1];
  alignas(64) signed char c22_ptr[1];
  alignas(64) float c23_ptr[1];
  alignas(64) float c24_ptr[1];
  alignas(64) int64_t c25_ptr[1];
  alignas(64) int64_t c27_ptr[1];
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
  alignas(64) int64_t c39_ptr[1];
  alignas(64) int64_t c40_ptr[1];
  alignas(64) int64_t c41_ptr[1];
  alignas(64) int64_t c42_ptr[1];
  alignas(64) int64_t c43_ptr[1];
  alignas(64) float2 c44_ptr[1];
  alignas(64) float c45_ptr[1];
  alignas(64) float c46_ptr[1];
  alignas(64) float c47_ptr[1];
  alignas(64) int64_t c48_ptr[1];
  alignas(64) float c49_ptr[1];
  alignas(64) float c50_ptr[1];
  alignas(64) float c51_ptr[1];
  alignas(64) int c52_ptr[1];
  alignas(64) int c53_ptr[1];
  alignas(64) signed char c54_ptr[1];
  alignas(64) signed char c55_ptr[1];
  alignas(64) signed char c56_ptr[1];
  alignas(64) signed char c57_ptr[1];
  alignas(64) signed char c58_ptr[1];
  alignas(64) signed char c59_ptr[1];
  alignas(64) int64_t c60_ptr[1];
  alignas(64) int64_t c61_ptr[1];
  alignas(64) int64_t c62_ptr[1];
  alignas(64) float2 c63_ptr[1];
  alignas(64) float c64_ptr[1];
  alignas(64) float c65_ptr[1];
  alignas(64) float c66_ptr[1];
  alignas(64) float c67_ptr[1];
  alignas(64) int c68_ptr[1];
  alignas(64) signed char c69_ptr[1];
  alignas(64) int64_t c70_ptr[1];
  alignas(64) signed char c71_ptr[1];
  alignas(64) signed char c72_ptr[1];
  alignas(64) float c73_ptr[1];
  alignas(64) float c74_ptr[1];
  alignas(64) int64_t c75_ptr[1];
  alignas(64) int64_t c77_ptr[1];
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
  alignas(64) float c92_ptr[1];
  alignas(64) float c93_ptr[1];
  alignas(64) float c94_ptr[1];
  alignas(64) float c95_ptr[1];
  alignas(64) float c96_ptr[1];
  alignas(64) float c97_ptr[1];
  alignas(64) float c98_ptr[1];
  alignas(64) float c99_ptr[1];
  alignas(64) float c100_ptr[1];
  alignas(64) float c101_ptr[1];
  alignas(64) float c102_ptr[1];
  alignas(64) int64_t c103_ptr[1];
  alignas(64) signed char c104_ptr[1];
  alignas(64) signed char c105_ptr[1];
  alignas(64) signed char c106_ptr[1];
  alignas(64) int64_t c107_ptr[1];
  alignas(64) float c108_ptr[1];
  alignas(64) float c109_ptr[1];
  alignas(64) float c110_ptr[1];
  alignas(64) signed char c111_ptr[1];
  alignas(64) float c112_ptr[1];
  alignas(64) int64_t c113_ptr[1];
  alignas(64) float2 c114_ptr[1];
  alignas(64) float c115_ptr[1];
  alignas(64) float c116_ptr[1];
  alignas(64) float c117_ptr[1];
  alignas(64) float c118_ptr[1];
  alignas(64) float c119_ptr[1];
  alignas(64) float c120_ptr[1];
  alignas(64) int64_t c121_ptr[1];
  alignas(64) int64_t c123_ptr[1];
  alignas(64) float c124_ptr[1];
  alignas(64) float c125_ptr[1];
  alignas(64) float c126_ptr[1];
  alignas(64) float c127_ptr[1];
  alignas(64) float c128_ptr[1];
  alignas(64) float c129_ptr[1];
  alignas(64) float c130_ptr[1];
  alignas(64) float c131_ptr[1];
  alignas(64) float c132_ptr[1];
  alignas(64) float c133_ptr[1];
  alignas(64) float c134_ptr[1];
  alignas(64) float c135_ptr[1];
  alignas(64) int64_t c137_ptr[1];
  alignas(64) int64_t c138_ptr[1];
  alignas(64) int64_t c139_ptr[1];
  alignas(64) int64_t c140_ptr[1];
  alignas(64) int64_t c141_ptr[1];
  alignas(64) float2 c142_ptr[1];
  alignas(64) float c143_ptr[1];
  alignas(64) float c144_ptr[1];
  alignas(64) float c145_ptr[1];
  alignas(64) float c146_ptr[1];
  alignas(64) int64_t c147_ptr[1];
  alignas(64) float c148_ptr[1];
  alignas(64) float c149_ptr[1];
  alignas(64) float c150_ptr[1];
  alignas(64) float c151_ptr[1];
  alignas(64) int64_t c152_ptr[1];
  alignas(64) float2 c153_ptr[1];
  alignas(64) float c154_ptr[1];
  alignas(64) float c155_ptr[1];
  alignas(64) float c156_ptr[1];
  alignas(64) float c157_ptr[1];
  alignas(64) float c158_ptr[1];
  alignas(64) float c159_ptr[1];
  alignas(64) int64_t c160_ptr[1];
  alignas(64) int64_t c162_ptr[1];
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
  alignas(64) float c173_ptr[1];
  alignas(64) float c174_ptr[1];
  alignas(64) float c175_ptr[1];
  alignas(64) float c176_ptr[1];
  alignas(64) float c177_ptr[1];
  alignas(64) float c178_ptr[1];
  alignas(64) float c179_ptr[1];
  alignas(64) float c180_ptr[1];
  alignas(64) float c181_ptr[1];
  alignas(64) float c182_ptr[1];
  alignas(64) float c183_ptr[1];
  alignas(64) float c184_ptr[1];
  alignas(64) float c185_ptr[1];
  alignas(64) float c186_ptr[1];
  alignas(64) float c187_ptr[1];
  int lane1 = (((int)threadIdx.x) & 31);
  int subgroup2 = (((int)threadIdx.x) >> 5);
  int64_t group3 = ((int64_t)((int)blockIdx.x));
  c4_ptr[0] = (group3 & (int64_t)1);
  c5_ptr[0] = ((int)c4_ptr[0]);
  c6_ptr[0] = (c5_ptr[0] + 257);
  c7_ptr[0] = (lane1 * 2);
  c8_ptr[0] = ((c7_ptr[0] >= c5_ptr[0]) ? (signed char)1 : (signed char)0);
  c9_ptr[0] = ((((c8_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c10_ptr[0] = ((int64_t)(((uint64_t)group3) * ((uint64_t)(int64_t)257)));
  c11_ptr[0] = (c10_ptr[0] & (int64_t)-2);
  c12_ptr[0] = (c11_ptr[0] + (int64_t)1);
  c13_ptr[0] = (c11_ptr[0] + (((int64_t)lane1) * (int64_t)2));
  float2 condval;
  if (c8_ptr[0] != (signed char)0) {
    condval = *(float2*)(p_logits_ptr + ((c13_ptr[0] >> (int64_t)1) * (int64_t)2));
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
  c21_ptr[0] = ((int64_t)((c20_ptr[0] != (signed char)0) ? 1 : 0));
  c22_ptr[0] = (((c8_ptr[0] != (signed char)0) && (c9_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c23_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c24_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c25_ptr[0] = (c21_ptr[0] - (int64_t)0);
  for (int64_t i26 = (int64_t)0; i26 < c25_ptr[0]; ++i26) {
    c27_ptr[0] = ((int64_t)0 + i26);
    float condval_1;
    if (c22_ptr[0] != (signed char)0) {
      condval_1 = p_logits_ptr[(c11_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_1 = 0x0p+0f/*0.000000e+00*/;
    }
    c28_ptr[0] = condval_1;
    float condval_2;
    if (c9_ptr[0] != (signed char)0) {
      condval_2 = p_logits_ptr[(c12_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_2 = 0x0p+0f/*0.000000e+00*/;
    }
    c29_ptr[0] = condval_2;
    c23_ptr[0] = c28_ptr[0];
    c24_ptr[0] = c29_ptr[0];
  }
  c30_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c16_ptr[0] : c23_ptr[0]);
  c31_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c18_ptr[0] : c24_ptr[0]);
  c32_ptr[0] = ((__int_as_float(-8388608) > c30_ptr[0]) ? __int_as_float(-8388608) : c30_ptr[0]);
  c33_ptr[0] = (!(__int_as_float(-8388608) <= __int_as_float(2139095040)) ? __int_as_float(-8388608) : c32_ptr[0]);
  c34_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c33_ptr[0] : __int_as_float(-8388608));
  c35_ptr[0] = ((c34_ptr[0] > c31_ptr[0]) ? c34_ptr[0] : c31_ptr[0]);
  c36_ptr[0] = (!(c34_ptr[0] <= __int_as_float(2139095040)) ? c34_ptr[0] : c35_ptr[0]);
  c37_ptr[0] = c36_ptr[0];
  for (int64_t i38 = (int64_t)0; i38 < (int64_t)3; ++i38) {
    c39_ptr[0] = ((int64_t)0 + i38);
    c40_ptr[0] = (c39_ptr[0] * (int64_t)64);
    c41_ptr[0] = (c11_ptr[0] + c40_ptr[0]);
    c42_ptr[0] = (c41_ptr[0] + (int64_t)64);
    c43_ptr[0] = ((c41_ptr[0] + (int64_t)64) + (((int64_t)lane1) * (int64_t)2));
    c44_ptr[0] = *(float2*)(p_logits_ptr + ((c43_ptr[0] >> (int64_t)1) * (int64_t)2));
    c45_ptr[0] = (c44_ptr[0]).x;
    c46_ptr[0] = ((c37_ptr[0] > c45_ptr[0]) ? c37_ptr[0] : c45_ptr[0]);
    c47_ptr[0] = (!(c37_ptr[0] <= __int_as_float(2139095040)) ? c37_ptr[0] : c46_ptr[0]);
    c48_ptr[0] = (c41_ptr[0] + (int64_t)65);
    c49_ptr[0] = (c44_ptr[0]).y;
    c50_ptr[0] = ((c47_ptr[0] > c49_ptr[0]) ? c47_ptr[0] : c49_ptr[0]);
    c51_ptr[0] = (!(c47_ptr[0] <= __int_as_float(2139095040)) ? c47_ptr[0] : c50_ptr[0]);
    c37_ptr[0] = c51_ptr[0];
  }
  c52_ptr[0] = (c7_ptr[0] + 256);
  c53_ptr[0] = (c7_ptr[0] + 257);
  c54_ptr[0] = ((c52_ptr[0] < c6_ptr[0]) ? (signed char)1 : (signed char)0);
  c55_ptr[0] = ((c53_ptr[0] < c6_ptr[0]) ? (signed char)1 : (signed char)0);
  c56_ptr[0] = (((c54_ptr[0] != (signed char)0) && (c55_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c57_ptr[0] = (((c54_ptr[0] != (signed char)0) || (c55_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c58_ptr[0] = ((((c56_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c59_ptr[0] = (((c57_ptr[0] != (signed char)0) && (c58_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c60_ptr[0] = (c11_ptr[0] + (int64_t)256);
  c61_ptr[0] = (c11_ptr[0] + (int64_t)257);
  c62_ptr[0] = ((c11_ptr[0] + (int64_t)256) + (((int64_t)lane1) * (int64_t)2));
  float2 condval_3;
  if (c56_ptr[0] != (signed char)0) {
    condval_3 = *(float2*)(p_logits_ptr + ((c62_ptr[0] >> (int64_t)1) * (int64_t)2));
  } else {
    condval_3 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c63_ptr[0] = condval_3;
  c64_ptr[0] = (c63_ptr[0]).x;
  c65_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c64_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c66_ptr[0] = (c63_ptr[0]).y;
  c67_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c66_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c68_ptr[0] = __any_sync((uint)4294967295, ((c59_ptr[0] != (signed char)0) ? 1 : 0));
  c69_ptr[0] = ((c68_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c70_ptr[0] = ((int64_t)((c69_ptr[0] != (signed char)0) ? 1 : 0));
  c71_ptr[0] = (((c54_ptr[0] != (signed char)0) && (c59_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c72_ptr[0] = (((c55_ptr[0] != (signed char)0) && (c59_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c73_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c74_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c75_ptr[0] = (c70_ptr[0] - (int64_t)0);
  for (int64_t i76 = (int64_t)0; i76 < c75_ptr[0]; ++i76) {
    c77_ptr[0] = ((int64_t)0 + i76);
    float condval_4;
    if (c71_ptr[0] != (signed char)0) {
      condval_4 = p_logits_ptr[(c60_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_4 = 0x0p+0f/*0.000000e+00*/;
    }
    c78_ptr[0] = condval_4;
    float condval_5;
    if (c72_ptr[0] != (signed char)0) {
      condval_5 = p_logits_ptr[(c61_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_5 = 0x0p+0f/*0.000000e+00*/;
    }
    c79_ptr[0] = condval_5;
    c73_ptr[0] = c78_ptr[0];
    c74_ptr[0] = c79_ptr[0];
  }
  c80_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c65_ptr[0] : c73_ptr[0]);
  c81_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c67_ptr[0] : c74_ptr[0]);
  c82_ptr[0] = ((c37_ptr[0] > c80_ptr[0]) ? c37_ptr[0] : c80_ptr[0]);
  c83_ptr[0] = (!(c37_ptr[0] <= __int_as_float(2139095040)) ? c37_ptr[0] : c82_ptr[0]);
  c84_ptr[0] = ((c54_ptr[0] != (signed char)0) ? c83_ptr[0] : c37_ptr[0]);
  c85_ptr[0] = ((c84_ptr[0] > c81_ptr[0]) ? c84_ptr[0] : c81_ptr[0]);
  c86_ptr[0] = (!(c84_ptr[0] <= __int_as_float(2139095040)) ? c84_ptr[0] : c85_ptr[0]);
  c87_ptr[0] = ((c55_ptr[0] != (signed char)0) ? c86_ptr[0] : c84_ptr[0]);
  c88_ptr[0] = __shfl_xor_sync((uint)4294967295, c87_ptr[0], 16);
  c89_ptr[0] = ((c87_ptr[0] > c88_ptr[0]) ? c87_ptr[0] : c88_ptr[0]);
  c90_ptr[0] = (!(c87_ptr[0] <= __int_as_float(2139095040)) ? c87_ptr[0] : c89_ptr[0]);
  c91_ptr[0] = __shfl_xor_sync((uint)4294967295, c90_ptr[0], 8);
  c92_ptr[0] = ((c90_ptr[0] > c91_ptr[0]) ? c90_ptr[0] : c91_ptr[0]);
  c93_ptr[0] = (!(c90_ptr[0] <= __int_as_float(2139095040)) ? c90_ptr[0] : c92_ptr[0]);
  c94_ptr[0] = __shfl_xor_sync((uint)4294967295, c93_ptr[0], 4);
  c95_ptr[0] = ((c93_ptr[0] > c94_ptr[0]) ? c93_ptr[0] : c94_ptr[0]);
  c96_ptr[0] = (!(c93_ptr[0] <= __int_as_float(2139095040)) ? c93_ptr[0] : c95_ptr[0]);
  c97_ptr[0] = __shfl_xor_sync((uint)4294967295, c96_ptr[0], 2);
  c98_ptr[0] = ((c96_ptr[0] > c97_ptr[0]) ? c96_ptr[0] : c97_ptr[0]);
  c99_ptr[0] = (!(c96_ptr[0] <= __int_as_float(2139095040)) ? c96_ptr[0] : c98_ptr[0]);
  c100_ptr[0] = __shfl_xor_sync((uint)4294967295, c99_ptr[0], 1);
  c101_ptr[0] = ((c99_ptr[0] > c100_ptr[0]) ? c99_ptr[0] : c100_ptr[0]);
  c102_ptr[0] = (!(c99_ptr[0] <= __int_as_float(2139095040)) ? c99_ptr[0] : c101_ptr[0]);
  c103_ptr[0] = p_labels_ptr[group3];
  c104_ptr[0] = ((c103_ptr[0] >= (int64_t)0) ? (signed char)1 : (signed char)0);
  c105_ptr[0] = ((c103_ptr[0] < (int64_t)257) ? (signed char)1 : (signed char)0);
  c106_ptr[0] = (((c104_ptr[0] != (signed char)0) && (c105_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c107_ptr[0] = ((int64_t)(((uint64_t)c10_ptr[0]) + ((uint64_t)c103_ptr[0])));
  float condval_6;
  if (c106_ptr[0] != (signed char)0) {
    condval_6 = p_logits_ptr[c107_ptr[0]];
  } else {
    condval_6 = 0x0p+0f/*0.000000e+00*/;
  }
  c108_ptr[0] = condval_6;
  c109_ptr[0] = ((c106_ptr[0] != (signed char)0) ? c108_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c110_ptr[0] = fabsf(c102_ptr[0]);
  c111_ptr[0] = ((c110_ptr[0] < __int_as_float(2139095040)) ? (signed char)1 : (signed char)0);
  c112_ptr[0] = ((c111_ptr[0] != (signed char)0) ? c102_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c113_ptr[0] = (c11_ptr[0] + (((int64_t)lane1) * (int64_t)2));
  float2 condval_7;
  if (c8_ptr[0] != (signed char)0) {
    condval_7 = *(float2*)(p_logits_ptr + ((c113_ptr[0] >> (int64_t)1) * (int64_t)2));
  } else {
    condval_7 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c114_ptr[0] = condval_7;
  c115_ptr[0] = (c114_ptr[0]).x;
  c116_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c115_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c117_ptr[0] = (c114_ptr[0]).y;
  c118_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c117_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c119_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c120_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c121_ptr[0] = (c21_ptr[0] - (int64_t)0);
  for (int64_t i122 = (int64_t)0; i122 < c121_ptr[0]; ++i122) {
    c123_ptr[0] = ((int64_t)0 + i122);
    float condval_8;
    if (c22_ptr[0] != (signed char)0) {
      condval_8 = p_logits_ptr[(c11_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_8 = 0x0p+0f/*0.000000e+00*/;
    }
    c124_ptr[0] = condval_8;
    float condval_9;
    if (c9_ptr[0] != (signed char)0) {
      condval_9 = p_logits_ptr[(c12_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_9 = 0x0p+0f/*0.000000e+00*/;
    }
    c125_ptr[0] = condval_9;
    c119_ptr[0] = c124_ptr[0];
    c120_ptr[0] = c125_ptr[0];
  }
  c126_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c116_ptr[0] : c119_ptr[0]);
  c127_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c118_ptr[0] : c120_ptr[0]);
  c128_ptr[0] = (c126_ptr[0] - c112_ptr[0]);
  c129_ptr[0] = expf(c128_ptr[0]);
  c130_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c129_ptr[0]);
  c131_ptr[0] = ((c8_ptr[0] != (signed char)0) ? c130_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c132_ptr[0] = (c127_ptr[0] - c112_ptr[0]);
  c133_ptr[0] = expf(c132_ptr[0]);
  c134_ptr[0] = (c131_ptr[0] + c133_ptr[0]);
  c135_ptr[0] = c134_ptr[0];
  for (int64_t i136 = (int64_t)0; i136 < (int64_t)3; ++i136) {
    c137_ptr[0] = ((int64_t)0 + i136);
    c138_ptr[0] = (c137_ptr[0] * (int64_t)64);
    c139_ptr[0] = (c11_ptr[0] + c138_ptr[0]);
    c140_ptr[0] = (c139_ptr[0] + (int64_t)64);
    c141_ptr[0] = ((c139_ptr[0] + (int64_t)64) + (((int64_t)lane1) * (int64_t)2));
    c142_ptr[0] = *(float2*)(p_logits_ptr + ((c141_ptr[0] >> (int64_t)1) * (int64_t)2));
    c143_ptr[0] = (c142_ptr[0]).x;
    c144_ptr[0] = (c143_ptr[0] - c112_ptr[0]);
    c145_ptr[0] = expf(c144_ptr[0]);
    c146_ptr[0] = (c135_ptr[0] + c145_ptr[0]);
    c147_ptr[0] = (c139_ptr[0] + (int64_t)65);
    c148_ptr[0] = (c142_ptr[0]).y;
    c149_ptr[0] = (c148_ptr[0] - c112_ptr[0]);
    c150_ptr[0] = expf(c149_ptr[0]);
    c151_ptr[0] = (c146_ptr[0] + c150_ptr[0]);
    c135_ptr[0] = c151_ptr[0];
  }
  c152_ptr[0] = ((c11_ptr[0] + (int64_t)256) + (((int64_t)lane1) * (int64_t)2));
  float2 condval_10;
  if (c56_ptr[0] != (signed char)0) {
    condval_10 = *(float2*)(p_logits_ptr + ((c152_ptr[0] >> (int64_t)1) * (int64_t)2));
  } else {
    condval_10 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c153_ptr[0] = condval_10;
  c154_ptr[0] = (c153_ptr[0]).x;
  c155_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c154_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c156_ptr[0] = (c153_ptr[0]).y;
  c157_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c156_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c158_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c159_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c160_ptr[0] = (c70_ptr[0] - (int64_t)0);
  for (int64_t i161 = (int64_t)0; i161 < c160_ptr[0]; ++i161) {
    c162_ptr[0] = ((int64_t)0 + i161);
    float condval_11;
    if (c71_ptr[0] != (signed char)0) {
      condval_11 = p_logits_ptr[(c60_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_11 = 0x0p+0f/*0.000000e+00*/;
    }
    c163_ptr[0] = condval_11;
    float condval_12;
    if (c72_ptr[0] != (signed char)0) {
      condval_12 = p_logits_ptr[(c61_ptr[0] + (((int64_t)lane1) * (int64_t)2))];
    } else {
      condval_12 = 0x0p+0f/*0.000000e+00*/;
    }
    c164_ptr[0] = condval_12;
    c158_ptr[0] = c163_ptr[0];
    c159_ptr[0] = c164_ptr[0];
  }
  c165_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c155_ptr[0] : c158_ptr[0]);
  c166_ptr[0] = ((c56_ptr[0] != (signed char)0) ? c157_ptr[0] : c159_ptr[0]);
  c167_ptr[0] = (c165_ptr[0] - c112_ptr[0]);
  c168_ptr[0] = expf(c167_ptr[0]);
  c169_ptr[0] = (c135_ptr[0] + c168_ptr[0]);
  c170_ptr[0] = ((c54_ptr[0] != (signed char)0) ? c169_ptr[0] : c135_ptr[0]);
  c171_ptr[0] = (c166_ptr[0] - c112_ptr[0]);
  c172_ptr[0] = expf(c171_ptr[0]);
  c173_ptr[0] = (c170_ptr[0] + c172_ptr[0]);
  c174_ptr[0] = ((c55_ptr[0] != (signed char)0) ? c173_ptr[0] : c170_ptr[0]);
  c175_ptr[0] = __shfl_xor_sync((uint)4294967295, c174_ptr[0], 16);
  c176_ptr[0] = (c174_ptr[0] + c175_ptr[0]);
  c177_ptr[0] = __shfl_xor_sync((uint)4294967295, c176_ptr[0], 8);
  c178_ptr[0] = (c176_ptr[0] + c177_ptr[0]);
  c179_ptr[0] = __shfl_xor_sync((uint)4294967295, c178_ptr[0], 4);
  c180_ptr[0] = (c178_ptr[0] + c179_ptr[0]);
  c181_ptr[0] = __shfl_xor_sync((uint)4294967295, c180_ptr[0], 2);
  c182_ptr[0] = (c180_ptr[0] + c181_ptr[0]);
  c183_ptr[0] = __shfl_xor_sync((uint)4294967295, c182_ptr[0], 1);
  c184_ptr[0] = (c182_ptr[0] + c183_ptr[0]);
  c185_ptr[0] = logf(c184_ptr[0]);
  c186_ptr[0] = (c112_ptr[0] - c109_ptr[0]);
  c187_ptr[0] = (c186_ptr[0] + c185_ptr[0]);
  if (lane1 == 0) {
    p_loss_ptr[group3] = c187_ptr[0];
  }
}

