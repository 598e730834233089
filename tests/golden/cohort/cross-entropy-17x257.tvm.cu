
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
  alignas(64) signed char c21_ptr[1];
  alignas(64) float c22_ptr[1];
  alignas(64) float c23_ptr[1];
  alignas(64) int c24_ptr[1];
  alignas(64) int c26_ptr[1];
  alignas(64) float c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) float c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) float c31_ptr[1];
  alignas(64) float c32_ptr[1];
  alignas(64) float c33_ptr[1];
  alignas(64) float c34_ptr[1];
  alignas(64) int c36_ptr[1];
  alignas(64) int c37_ptr[1];
  alignas(64) int c38_ptr[1];
  alignas(64) int c39_ptr[1];
  alignas(64) int c40_ptr[1];
  alignas(64) float2 c41_ptr[1];
  alignas(64) float c42_ptr[1];
  alignas(64) float c43_ptr[1];
  alignas(64) float c44_ptr[1];
  alignas(64) int c45_ptr[1];
  alignas(64) float c46_ptr[1];
  alignas(64) float c47_ptr[1];
  alignas(64) float c48_ptr[1];
  alignas(64) int c49_ptr[1];
  alignas(64) int c50_ptr[1];
  alignas(64) signed char c51_ptr[1];
  alignas(64) signed char c52_ptr[1];
  alignas(64) signed char c53_ptr[1];
  alignas(64) signed char c54_ptr[1];
  alignas(64) signed char c55_ptr[1];
  alignas(64) signed char c56_ptr[1];
  alignas(64) int c57_ptr[1];
  alignas(64) int c58_ptr[1];
  alignas(64) int c59_ptr[1];
  alignas(64) float2 c60_ptr[1];
  alignas(64) float c61_ptr[1];
  alignas(64) float c62_ptr[1];
  alignas(64) float c63_ptr[1];
  alignas(64) float c64_ptr[1];
  alignas(64) int c65_ptr[1];
  alignas(64) signed char c66_ptr[1];
  alignas(64) int c67_ptr[1];
  alignas(64) signed char c68_ptr[1];
  alignas(64) signed char c69_ptr[1];
  alignas(64) float c70_ptr[1];
  alignas(64) float c71_ptr[1];
  alignas(64) int c72_ptr[1];
  alignas(64) int c74_ptr[1];
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
  alignas(64) float c92_ptr[1];
  alignas(64) float c93_ptr[1];
  alignas(64) float c94_ptr[1];
  alignas(64) float c95_ptr[1];
  alignas(64) float c96_ptr[1];
  alignas(64) float c97_ptr[1];
  alignas(64) float c98_ptr[1];
  alignas(64) float c99_ptr[1];
  alignas(64) int64_t c100_ptr[1];
  alignas(64) signed char c101_ptr[1];
  alignas(64) signed char c102_ptr[1];
  alignas(64) signed char c103_ptr[1];
  alignas(64) int64_t c104_ptr[1];
  alignas(64) float c105_ptr[1];
  alignas(64) float c106_ptr[1];
  alignas(64) float c107_ptr[1];
  alignas(64) signed char c108_ptr[1];
  alignas(64) float c109_ptr[1];
  alignas(64) int c110_ptr[1];
  alignas(64) float2 c111_ptr[1];
  alignas(64) float c112_ptr[1];
  alignas(64) float c113_ptr[1];
  alignas(64) float c114_ptr[1];
  alignas(64) float c115_ptr[1];
  alignas(64) float c116_ptr[1];
  alignas(64) float c117_ptr[1];
  alignas(64) int c118_ptr[1];
  alignas(64) int c120_ptr[1];
  alignas(64) float c121_ptr[1];
  alignas(64) float c122_ptr[1];
  alignas(64) float c123_ptr[1];
  alignas(64) float c124_ptr[1];
  alignas(64) float c125_ptr[1];
  alignas(64) float c126_ptr[1];
  alignas(64) float c127_ptr[1];
  alignas(64) float c128_ptr[1];
  alignas(64) float c129_ptr[1];
  alignas(64) float c130_ptr[1];
  alignas(64) float c131_ptr[1];
  alignas(64) float c132_ptr[1];
  alignas(64) int c134_ptr[1];
  alignas(64) int c135_ptr[1];
  alignas(64) int c136_ptr[1];
  alignas(64) int c137_ptr[1];
  alignas(64) int c138_ptr[1];
  alignas(64) float2 c139_ptr[1];
  alignas(64) float c140_ptr[1];
  alignas(64) float c141_ptr[1];
  alignas(64) float c142_ptr[1];
  alignas(64) float c143_ptr[1];
  alignas(64) int c144_ptr[1];
  alignas(64) float c145_ptr[1];
  alignas(64) float c146_ptr[1];
  alignas(64) float c147_ptr[1];
  alignas(64) float c148_ptr[1];
  alignas(64) int c149_ptr[1];
  alignas(64) float2 c150_ptr[1];
  alignas(64) float c151_ptr[1];
  alignas(64) float c152_ptr[1];
  alignas(64) float c153_ptr[1];
  alignas(64) float c154_ptr[1];
  alignas(64) float c155_ptr[1];
  alignas(64) float c156_ptr[1];
  alignas(64) int c157_ptr[1];
  alignas(64) int c159_ptr[1];
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
  c21_ptr[0] = (((c6_ptr[0] != (signed char)0) && (c7_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c22_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c23_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c24_ptr[0] = (c20_ptr[0] - 0);
  for (int i25 = 0; i25 < c24_ptr[0]; ++i25) {
    c26_ptr[0] = (0 + i25);
    float condval_1;
    if (c21_ptr[0] != (signed char)0) {
      condval_1 = p_logits_ptr[(c10_ptr[0] + (lane1 * 2))];
    } else {
      condval_1 = 0x0p+0f/*0.000000e+00*/;
    }
    c27_ptr[0] = condval_1;
    float condval_2;
    if (c7_ptr[0] != (signed char)0) {
      condval_2 = p_logits_ptr[(c11_ptr[0] + (lane1 * 2))];
    } else {
      condval_2 = 0x0p+0f/*0.000000e+00*/;
    }
    c28_ptr[0] = condval_2;
    c22_ptr[0] = c27_ptr[0];
    c23_ptr[0] = c28_ptr[0];
  }
  c29_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c15_ptr[0] : c22_ptr[0]);
  c30_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c17_ptr[0] : c23_ptr[0]);
  c31_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c29_ptr[0] : __int_as_float(-8388608));
  c32_ptr[0] = ((c31_ptr[0] > c30_ptr[0]) ? c31_ptr[0] : c30_ptr[0]);
  c33_ptr[0] = (!(c31_ptr[0] <= __int_as_float(2139095040)) ? c31_ptr[0] : c32_ptr[0]);
  c34_ptr[0] = c33_ptr[0];
  for (int i35 = 0; i35 < 3; ++i35) {
    c36_ptr[0] = (0 + i35);
    c37_ptr[0] = (c36_ptr[0] * 64);
    c38_ptr[0] = (c10_ptr[0] + c37_ptr[0]);
    c39_ptr[0] = (c38_ptr[0] + 64);
    c40_ptr[0] = ((c38_ptr[0] + 64) + (lane1 * 2));
    c41_ptr[0] = *(float2*)(p_logits_ptr + ((c40_ptr[0] >> 1) * 2));
    c42_ptr[0] = (c41_ptr[0]).x;
    c43_ptr[0] = ((c34_ptr[0] > c42_ptr[0]) ? c34_ptr[0] : c42_ptr[0]);
    c44_ptr[0] = (!(c34_ptr[0] <= __int_as_float(2139095040)) ? c34_ptr[0] : c43_ptr[0]);
    c45_ptr[0] = (c38_ptr[0] + 65);
    c46_ptr[0] = (c41_ptr[0]).y;
    c47_ptr[0] = ((c44_ptr[0] > c46_ptr[0]) ? c44_ptr[0] : c46_ptr[0]);
    c48_ptr[0] = (!(c44_ptr[0] <= __int_as_float(2139095040)) ? c44_ptr[0] : c47_ptr[0]);
    c34_ptr[0] = c48_ptr[0];
  }
  c49_ptr[0] = (c5_ptr[0] + 256);
  c50_ptr[0] = (c5_ptr[0] + 257);
  c51_ptr[0] = ((c49_ptr[0] < c4_ptr[0]) ? (signed char)1 : (signed char)0);
  c52_ptr[0] = ((c50_ptr[0] < c4_ptr[0]) ? (signed char)1 : (signed char)0);
  c53_ptr[0] = (((c51_ptr[0] != (signed char)0) && (c52_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c54_ptr[0] = (((c51_ptr[0] != (signed char)0) || (c52_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c55_ptr[0] = ((((c53_ptr[0] != (signed char)0) ? (uchar)1 : (uchar)0) != (uchar)1) ? (signed char)1 : (signed char)0);
  c56_ptr[0] = (((c54_ptr[0] != (signed char)0) && (c55_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c57_ptr[0] = (c10_ptr[0] + 256);
  c58_ptr[0] = (c10_ptr[0] + 257);
  c59_ptr[0] = ((c10_ptr[0] + 256) + (lane1 * 2));
  float2 condval_3;
  if (c53_ptr[0] != (signed char)0) {
    condval_3 = *(float2*)(p_logits_ptr + ((c59_ptr[0] >> 1) * 2));
  } else {
    condval_3 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c60_ptr[0] = condval_3;
  c61_ptr[0] = (c60_ptr[0]).x;
  c62_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c61_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c63_ptr[0] = (c60_ptr[0]).y;
  c64_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c63_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c65_ptr[0] = __any_sync((uint)4294967295, ((c56_ptr[0] != (signed char)0) ? 1 : 0));
  c66_ptr[0] = ((c65_ptr[0] != 0) ? (signed char)1 : (signed char)0);
  c67_ptr[0] = ((c66_ptr[0] != (signed char)0) ? 1 : 0);
  c68_ptr[0] = (((c51_ptr[0] != (signed char)0) && (c56_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c69_ptr[0] = (((c52_ptr[0] != (signed char)0) && (c56_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c70_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c71_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c72_ptr[0] = (c67_ptr[0] - 0);
  for (int i73 = 0; i73 < c72_ptr[0]; ++i73) {
    c74_ptr[0] = (0 + i73);
    float condval_4;
    if (c68_ptr[0] != (signed char)0) {
      condval_4 = p_logits_ptr[(c57_ptr[0] + (lane1 * 2))];
    } else {
      condval_4 = 0x0p+0f/*0.000000e+00*/;
    }
    c75_ptr[0] = condval_4;
    float condval_5;
    if (c69_ptr[0] != (signed char)0) {
      condval_5 = p_logits_ptr[(c58_ptr[0] + (lane1 * 2))];
    } else {
      condval_5 = 0x0p+0f/*0.000000e+00*/;
    }
    c76_ptr[0] = condval_5;
    c70_ptr[0] = c75_ptr[0];
    c71_ptr[0] = c76_ptr[0];
  }
  c77_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c62_ptr[0] : c70_ptr[0]);
  c78_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c64_ptr[0] : c71_ptr[0]);
  c79_ptr[0] = ((c34_ptr[0] > c77_ptr[0]) ? c34_ptr[0] : c77_ptr[0]);
  c80_ptr[0] = (!(c34_ptr[0] <= __int_as_float(2139095040)) ? c34_ptr[0] : c79_ptr[0]);
  c81_ptr[0] = ((c51_ptr[0] != (signed char)0) ? c80_ptr[0] : c34_ptr[0]);
  c82_ptr[0] = ((c81_ptr[0] > c78_ptr[0]) ? c81_ptr[0] : c78_ptr[0]);
  c83_ptr[0] = (!(c81_ptr[0] <= __int_as_float(2139095040)) ? c81_ptr[0] : c82_ptr[0]);
  c84_ptr[0] = ((c52_ptr[0] != (signed char)0) ? c83_ptr[0] : c81_ptr[0]);
  c85_ptr[0] = __shfl_xor_sync((uint)4294967295, c84_ptr[0], 16);
  c86_ptr[0] = ((c84_ptr[0] > c85_ptr[0]) ? c84_ptr[0] : c85_ptr[0]);
  c87_ptr[0] = (!(c84_ptr[0] <= __int_as_float(2139095040)) ? c84_ptr[0] : c86_ptr[0]);
  c88_ptr[0] = __shfl_xor_sync((uint)4294967295, c87_ptr[0], 8);
  c89_ptr[0] = ((c87_ptr[0] > c88_ptr[0]) ? c87_ptr[0] : c88_ptr[0]);
  c90_ptr[0] = (!(c87_ptr[0] <= __int_as_float(2139095040)) ? c87_ptr[0] : c89_ptr[0]);
  c91_ptr[0] = __shfl_xor_sync((uint)4294967295, c90_ptr[0], 4);
  c92_ptr[0] = ((c90_ptr[0] > c91_ptr[0]) ? c90_ptr[0] : c91_ptr[0]);
  c93_ptr[0] = (!(c90_ptr[0] <= __int_as_float(2139095040)) ? c90_ptr[0] : c92_ptr[0]);
  c94_ptr[0] = __shfl_xor_sync((uint)4294967295, c93_ptr[0], 2);
  c95_ptr[0] = ((c93_ptr[0] > c94_ptr[0]) ? c93_ptr[0] : c94_ptr[0]);
  c96_ptr[0] = (!(c93_ptr[0] <= __int_as_float(2139095040)) ? c93_ptr[0] : c95_ptr[0]);
  c97_ptr[0] = __shfl_xor_sync((uint)4294967295, c96_ptr[0], 1);
  c98_ptr[0] = ((c96_ptr[0] > c97_ptr[0]) ? c96_ptr[0] : c97_ptr[0]);
  c99_ptr[0] = (!(c96_ptr[0] <= __int_as_float(2139095040)) ? c96_ptr[0] : c98_ptr[0]);
  c100_ptr[0] = p_labels_ptr[((int)blockIdx.x)];
  c101_ptr[0] = ((c100_ptr[0] >= (int64_t)0) ? (signed char)1 : (signed char)0);
  c102_ptr[0] = ((c100_ptr[0] < (int64_t)257) ? (signed char)1 : (signed char)0);
  c103_ptr[0] = (((c101_ptr[0] != (signed char)0) && (c102_ptr[0] != (signed char)0)) ? (signed char)1 : (signed char)0);
  c104_ptr[0] = ((int64_t)(((uint64_t)c9_ptr[0]) + ((uint64_t)c100_ptr[0])));
  float condval_6;
  if (c103_ptr[0] != (signed char)0) {
    condval_6 = p_logits_ptr[c104_ptr[0]];
  } else {
    condval_6 = 0x0p+0f/*0.000000e+00*/;
  }
  c105_ptr[0] = condval_6;
  c106_ptr[0] = ((c103_ptr[0] != (signed char)0) ? c105_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c107_ptr[0] = fabsf(c99_ptr[0]);
  c108_ptr[0] = ((c107_ptr[0] < __int_as_float(2139095040)) ? (signed char)1 : (signed char)0);
  c109_ptr[0] = ((c108_ptr[0] != (signed char)0) ? c99_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c110_ptr[0] = (c10_ptr[0] + (lane1 * 2));
  float2 condval_7;
  if (c6_ptr[0] != (signed char)0) {
    condval_7 = *(float2*)(p_logits_ptr + ((c110_ptr[0] >> 1) * 2));
  } else {
    condval_7 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c111_ptr[0] = condval_7;
  c112_ptr[0] = (c111_ptr[0]).x;
  c113_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c112_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c114_ptr[0] = (c111_ptr[0]).y;
  c115_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c114_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c116_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c117_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c118_ptr[0] = (c20_ptr[0] - 0);
  for (int i119 = 0; i119 < c118_ptr[0]; ++i119) {
    c120_ptr[0] = (0 + i119);
    float condval_8;
    if (c21_ptr[0] != (signed char)0) {
      condval_8 = p_logits_ptr[(c10_ptr[0] + (lane1 * 2))];
    } else {
      condval_8 = 0x0p+0f/*0.000000e+00*/;
    }
    c121_ptr[0] = condval_8;
    float condval_9;
    if (c7_ptr[0] != (signed char)0) {
      condval_9 = p_logits_ptr[(c11_ptr[0] + (lane1 * 2))];
    } else {
      condval_9 = 0x0p+0f/*0.000000e+00*/;
    }
    c122_ptr[0] = condval_9;
    c116_ptr[0] = c121_ptr[0];
    c117_ptr[0] = c122_ptr[0];
  }
  c123_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c113_ptr[0] : c116_ptr[0]);
  c124_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c115_ptr[0] : c117_ptr[0]);
  c125_ptr[0] = (c123_ptr[0] - c109_ptr[0]);
  c126_ptr[0] = expf(c125_ptr[0]);
  c127_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c126_ptr[0]);
  c128_ptr[0] = ((c6_ptr[0] != (signed char)0) ? c127_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c129_ptr[0] = (c124_ptr[0] - c109_ptr[0]);
  c130_ptr[0] = expf(c129_ptr[0]);
  c131_ptr[0] = (c128_ptr[0] + c130_ptr[0]);
  c132_ptr[0] = c131_ptr[0];
  for (int i133 = 0; i133 < 3; ++i133) {
    c134_ptr[0] = (0 + i133);
    c135_ptr[0] = (c134_ptr[0] * 64);
    c136_ptr[0] = (c10_ptr[0] + c135_ptr[0]);
    c137_ptr[0] = (c136_ptr[0] + 64);
    c138_ptr[0] = ((c136_ptr[0] + 64) + (lane1 * 2));
    c139_ptr[0] = *(float2*)(p_logits_ptr + ((c138_ptr[0] >> 1) * 2));
    c140_ptr[0] = (c139_ptr[0]).x;
    c141_ptr[0] = (c140_ptr[0] - c109_ptr[0]);
    c142_ptr[0] = expf(c141_ptr[0]);
    c143_ptr[0] = (c132_ptr[0] + c142_ptr[0]);
    c144_ptr[0] = (c136_ptr[0] + 65);
    c145_ptr[0] = (c139_ptr[0]).y;
    c146_ptr[0] = (c145_ptr[0] - c109_ptr[0]);
    c147_ptr[0] = expf(c146_ptr[0]);
    c148_ptr[0] = (c143_ptr[0] + c147_ptr[0]);
    c132_ptr[0] = c148_ptr[0];
  }
  c149_ptr[0] = ((c10_ptr[0] + 256) + (lane1 * 2));
  float2 condval_10;
  if (c53_ptr[0] != (signed char)0) {
    condval_10 = *(float2*)(p_logits_ptr + ((c149_ptr[0] >> 1) * 2));
  } else {
    condval_10 = make_float2(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);
  }
  c150_ptr[0] = condval_10;
  c151_ptr[0] = (c150_ptr[0]).x;
  c152_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c151_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c153_ptr[0] = (c150_ptr[0]).y;
  c154_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c153_ptr[0] : 0x0p+0f/*0.000000e+00*/);
  c155_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c156_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  c157_ptr[0] = (c67_ptr[0] - 0);
  for (int i158 = 0; i158 < c157_ptr[0]; ++i158) {
    c159_ptr[0] = (0 + i158);
    float condval_11;
    if (c68_ptr[0] != (signed char)0) {
      condval_11 = p_logits_ptr[(c57_ptr[0] + (lane1 * 2))];
    } else {
      condval_11 = 0x0p+0f/*0.000000e+00*/;
    }
    c160_ptr[0] = condval_11;
    float condval_12;
    if (c69_ptr[0] != (signed char)0) {
      condval_12 = p_logits_ptr[(c58_ptr[0] + (lane1 * 2))];
    } else {
      condval_12 = 0x0p+0f/*0.000000e+00*/;
    }
    c161_ptr[0] = condval_12;
    c155_ptr[0] = c160_ptr[0];
    c156_ptr[0] = c161_ptr[0];
  }
  c162_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c152_ptr[0] : c155_ptr[0]);
  c163_ptr[0] = ((c53_ptr[0] != (signed char)0) ? c154_ptr[0] : c156_ptr[0]);
  c164_ptr[0] = (c162_ptr[0] - c109_ptr[0]);
  c165_ptr[0] = expf(c164_ptr[0]);
  c166_ptr[0] = (c132_ptr[0] + c165_ptr[0]);
  c167_ptr[0] = ((c51_ptr[0] != (signed char)0) ? c166_ptr[0] : c132_ptr[0]);
  c168_ptr[0] = (c163_ptr[0] - c109_ptr[0]);
  c169_ptr[0] = expf(c168_ptr[0]);
  c170_ptr[0] = (c167_ptr[0] + c169_ptr[0]);
  c171_ptr[0] = ((c52_ptr[0] != (signed char)0) ? c170_ptr[0] : c167_ptr[0]);
  c172_ptr[0] = __shfl_xor_sync((uint)4294967295, c171_ptr[0], 16);
  c173_ptr[0] = (c171_ptr[0] + c172_ptr[0]);
  c174_ptr[0] = __shfl_xor_sync((uint)4294967295, c173_ptr[0], 8);
  c175_ptr[0] = (c173_ptr[0] + c174_ptr[0]);
  c176_ptr[0] = __shfl_xor_sync((uint)4294967295, c175_ptr[0], 4);
  c177_ptr[0] = (c175_ptr[0] + c176_ptr[0]);
  c178_ptr[0] = __shfl_xor_sync((uint)4294967295, c177_ptr[0], 2);
  c179_ptr[0] = (c177_ptr[0] + c178_ptr[0]);
  c180_ptr[0] = __shfl_xor_sync((uint)4294967295, c179_ptr[0], 1);
  c181_ptr[0] = (c179_ptr[0] + c180_ptr[0]);
  c182_ptr[0] = logf(c181_ptr[0]);
  c183_ptr[0] = (c109_ptr[0] - c106_ptr[0]);
  c184_ptr[0] = (c183_ptr[0] + c182_ptr[0]);
  if (lane1 == 0) {
    p_loss_ptr[((int)blockIdx.x)] = c184_ptr[0];
  }
}

