
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
extern "C" __global__ void __launch_bounds__(1024) layer_norm_kernel_66f96c68e4a1_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps);
extern "C" __global__ void __launch_bounds__(1024) layer_norm_kernel_66f96c68e4a1_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps) {
  __shared__ alignas(64) float shared_partial01_ptr[32];
  __shared__ alignas(64) float shared_partial12_ptr[32];
  alignas(64) float own_stripe03_ptr[4];
  alignas(64) float own_stripe14_ptr[4];
  alignas(64) int c7_ptr[1];
  alignas(64) float c8_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) int c10_ptr[1];
  alignas(64) int c11_ptr[1];
  alignas(64) int c12_ptr[1];
  alignas(64) int c13_ptr[1];
  alignas(64) int c14_ptr[1];
  alignas(64) float4 c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) float c17_ptr[1];
  alignas(64) float c18_ptr[1];
  alignas(64) int c19_ptr[1];
  alignas(64) float c20_ptr[1];
  alignas(64) float c21_ptr[1];
  alignas(64) float c22_ptr[1];
  alignas(64) int c23_ptr[1];
  alignas(64) float c24_ptr[1];
  alignas(64) float c25_ptr[1];
  alignas(64) float c26_ptr[1];
  alignas(64) int c27_ptr[1];
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
  alignas(64) int c98_ptr[1];
  alignas(64) float4 c99_ptr[1];
  alignas(64) float c100_ptr[1];
  alignas(64) int c101_ptr[1];
  alignas(64) float4 c102_ptr[1];
  alignas(64) float c103_ptr[1];
  alignas(64) float c104_ptr[1];
  alignas(64) float c105_ptr[1];
  alignas(64) float c106_ptr[1];
  alignas(64) float c107_ptr[1];
  alignas(64) int c108_ptr[1];
  alignas(64) int c109_ptr[1];
  alignas(64) float c110_ptr[1];
  alignas(64) float c111_ptr[1];
  alignas(64) float c112_ptr[1];
  alignas(64) float c113_ptr[1];
  alignas(64) float c114_ptr[1];
  alignas(64) float c115_ptr[1];
  alignas(64) int c116_ptr[1];
  alignas(64) float c117_ptr[1];
  alignas(64) float c118_ptr[1];
  alignas(64) float c119_ptr[1];
  alignas(64) float c120_ptr[1];
  alignas(64) float c121_ptr[1];
  alignas(64) float c122_ptr[1];
  alignas(64) int c123_ptr[1];
  alignas(64) float c124_ptr[1];
  alignas(64) float c125_ptr[1];
  alignas(64) float c126_ptr[1];
  alignas(64) float c127_ptr[1];
  alignas(64) float c128_ptr[1];
  alignas(64) float c129_ptr[1];
  alignas(64) int c130_ptr[1];
  alignas(64) int c131_ptr[1];
  int lane5 = (((int)threadIdx.x) & 31);
  int subgroup6 = (((int)threadIdx.x) >> 5);
  c7_ptr[0] = (((int)blockIdx.x) * 4096);
  c8_ptr[0] = p_x_ptr[c7_ptr[0]];
  c9_ptr[0] = (subgroup6 * 128);
  c10_ptr[0] = (c9_ptr[0] + 1);
  c11_ptr[0] = (c9_ptr[0] + 2);
  c12_ptr[0] = (c9_ptr[0] + 3);
  c13_ptr[0] = (c7_ptr[0] + c9_ptr[0]);
  c14_ptr[0] = (c13_ptr[0] + (lane5 * 4));
  c15_ptr[0] = *(float4*)(p_x_ptr + ((c14_ptr[0] >> 2) * 4));
  c16_ptr[0] = (c15_ptr[0]).x;
  own_stripe03_ptr[0] = c16_ptr[0];
  c17_ptr[0] = (c16_ptr[0] - c8_ptr[0]);
  c18_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c17_ptr[0]);
  c19_ptr[0] = (c13_ptr[0] + 1);
  c20_ptr[0] = (c15_ptr[0]).y;
  own_stripe03_ptr[1] = c20_ptr[0];
  c21_ptr[0] = (c20_ptr[0] - c8_ptr[0]);
  c22_ptr[0] = (c18_ptr[0] + c21_ptr[0]);
  c23_ptr[0] = (c13_ptr[0] + 2);
  c24_ptr[0] = (c15_ptr[0]).z;
  own_stripe03_ptr[2] = c24_ptr[0];
  c25_ptr[0] = (c24_ptr[0] - c8_ptr[0]);
  c26_ptr[0] = (c22_ptr[0] + c25_ptr[0]);
  c27_ptr[0] = (c13_ptr[0] + 3);
  c28_ptr[0] = (c15_ptr[0]).w;
  own_stripe03_ptr[3] = c28_ptr[0];
  c29_ptr[0] = (c28_ptr[0] - c8_ptr[0]);
  c30_ptr[0] = (c26_ptr[0] + c29_ptr[0]);
  c31_ptr[0] = __shfl_xor_sync((uint)4294967295, c30_ptr[0], 16);
  c32_ptr[0] = (c30_ptr[0] + c31_ptr[0]);
  c33_ptr[0] = __shfl_xor_sync((uint)4294967295, c32_ptr[0], 8);
  c34_ptr[0] = (c32_ptr[0] + c33_ptr[0]);
  c35_ptr[0] = __shfl_xor_sync((uint)4294967295, c34_ptr[0], 4);
  c36_ptr[0] = (c34_ptr[0] + c35_ptr[0]);
  c37_ptr[0] = __shfl_xor_sync((uint)4294967295, c36_ptr[0], 2);
  c38_ptr[0] = (c36_ptr[0] + c37_ptr[0]);
  c39_ptr[0] = __shfl_xor_sync((uint)4294967295, c38_ptr[0], 1);
  c40_ptr[0] = (c38_ptr[0] + c39_ptr[0]);
  if (lane5 == 0) {
    shared_partial01_ptr[subgroup6] = c40_ptr[0];
  }
  __syncthreads();
  c41_ptr[0] = shared_partial01_ptr[lane5];
  c42_ptr[0] = __shfl_xor_sync((uint)4294967295, c41_ptr[0], 16);
  c43_ptr[0] = (c41_ptr[0] + c42_ptr[0]);
  c44_ptr[0] = __shfl_xor_sync((uint)4294967295, c43_ptr[0], 8);
  c45_ptr[0] = (c43_ptr[0] + c44_ptr[0]);
  c46_ptr[0] = __shfl_xor_sync((uint)4294967295, c45_ptr[0], 4);
  c47_ptr[0] = (c45_ptr[0] + c46_ptr[0]);
  c48_ptr[0] = __shfl_xor_sync((uint)4294967295, c47_ptr[0], 2);
  c49_ptr[0] = (c47_ptr[0] + c48_ptr[0]);
  c50_ptr[0] = __shfl_xor_sync((uint)4294967295, c49_ptr[0], 1);
  c51_ptr[0] = (c49_ptr[0] + c50_ptr[0]);
  c52_ptr[0] = (c51_ptr[0] / 0x1p+12f/*4.096000e+03*/);
  c53_ptr[0] = (-0x0p+0f/*-0.000000e+00*/ - c8_ptr[0]);
  c54_ptr[0] = own_stripe03_ptr[0];
  c55_ptr[0] = fmaf(c54_ptr[0], 0x1p+0f/*1.000000e+00*/, c53_ptr[0]);
  c56_ptr[0] = (c55_ptr[0] - c52_ptr[0]);
  own_stripe14_ptr[0] = c56_ptr[0];
  c57_ptr[0] = __fmul_rn(c56_ptr[0], c56_ptr[0]);
  c58_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c57_ptr[0]);
  c59_ptr[0] = own_stripe03_ptr[1];
  c60_ptr[0] = fmaf(c59_ptr[0], 0x1p+0f/*1.000000e+00*/, c53_ptr[0]);
  c61_ptr[0] = (c60_ptr[0] - c52_ptr[0]);
  own_stripe14_ptr[1] = c61_ptr[0];
  c62_ptr[0] = __fmul_rn(c61_ptr[0], c61_ptr[0]);
  c63_ptr[0] = (c58_ptr[0] + c62_ptr[0]);
  c64_ptr[0] = own_stripe03_ptr[2];
  c65_ptr[0] = fmaf(c64_ptr[0], 0x1p+0f/*1.000000e+00*/, c53_ptr[0]);
  c66_ptr[0] = (c65_ptr[0] - c52_ptr[0]);
  own_stripe14_ptr[2] = c66_ptr[0];
  c67_ptr[0] = __fmul_rn(c66_ptr[0], c66_ptr[0]);
  c68_ptr[0] = (c63_ptr[0] + c67_ptr[0]);
  c69_ptr[0] = own_stripe03_ptr[3];
  c70_ptr[0] = fmaf(c69_ptr[0], 0x1p+0f/*1.000000e+00*/, c53_ptr[0]);
  c71_ptr[0] = (c70_ptr[0] - c52_ptr[0]);
  own_stripe14_ptr[3] = c71_ptr[0];
  c72_ptr[0] = __fmul_rn(c71_ptr[0], c71_ptr[0]);
  c73_ptr[0] = (c68_ptr[0] + c72_ptr[0]);
  c74_ptr[0] = __shfl_xor_sync((uint)4294967295, c73_ptr[0], 16);
  c75_ptr[0] = (c73_ptr[0] + c74_ptr[0]);
  c76_ptr[0] = __shfl_xor_sync((uint)4294967295, c75_ptr[0], 8);
  c77_ptr[0] = (c75_ptr[0] + c76_ptr[0]);
  c78_ptr[0] = __shfl_xor_sync((uint)4294967295, c77_ptr[0], 4);
  c79_ptr[0] = (c77_ptr[0] + c78_ptr[0]);
  c80_ptr[0] = __shfl_xor_sync((uint)4294967295, c79_ptr[0], 2);
  c81_ptr[0] = (c79_ptr[0] + c80_ptr[0]);
  c82_ptr[0] = __shfl_xor_sync((uint)4294967295, c81_ptr[0], 1);
  c83_ptr[0] = (c81_ptr[0] + c82_ptr[0]);
  if (lane5 == 0) {
    shared_partial12_ptr[subgroup6] = c83_ptr[0];
  }
  __syncthreads();
  c84_ptr[0] = shared_partial12_ptr[lane5];
  c85_ptr[0] = __shfl_xor_sync((uint)4294967295, c84_ptr[0], 16);
  c86_ptr[0] = (c84_ptr[0] + c85_ptr[0]);
  c87_ptr[0] = __shfl_xor_sync((uint)4294967295, c86_ptr[0], 8);
  c88_ptr[0] = (c86_ptr[0] + c87_ptr[0]);
  c89_ptr[0] = __shfl_xor_sync((uint)4294967295, c88_ptr[0], 4);
  c90_ptr[0] = (c88_ptr[0] + c89_ptr[0]);
  c91_ptr[0] = __shfl_xor_sync((uint)4294967295, c90_ptr[0], 2);
  c92_ptr[0] = (c90_ptr[0] + c91_ptr[0]);
  c93_ptr[0] = __shfl_xor_sync((uint)4294967295, c92_ptr[0], 1);
  c94_ptr[0] = (c92_ptr[0] + c93_ptr[0]);
  c95_ptr[0] = (c94_ptr[0] / 0x1p+12f/*4.096000e+03*/);
  c96_ptr[0] = (c95_ptr[0] + n_eps);
  c97_ptr[0] = __frsqrt_rn(c96_ptr[0]);
  c98_ptr[0] = (c9_ptr[0] + (lane5 * 4));
  c99_ptr[0] = *(float4*)(p_bias_ptr + ((c98_ptr[0] >> 2) * 4));
  c100_ptr[0] = (c99_ptr[0]).x;
  c101_ptr[0] = (c9_ptr[0] + (lane5 * 4));
  c102_ptr[0] = *(float4*)(p_weight_ptr + ((c101_ptr[0] >> 2) * 4));
  c103_ptr[0] = (c102_ptr[0]).x;
  c104_ptr[0] = own_stripe14_ptr[0];
  c105_ptr[0] = __fmul_rn(c104_ptr[0], c97_ptr[0]);
  c106_ptr[0] = __fmul_rn(c105_ptr[0], c103_ptr[0]);
  c107_ptr[0] = (c106_ptr[0] + c100_ptr[0]);
  c108_ptr[0] = (((int)blockIdx.x) * 4096);
  c109_ptr[0] = (c108_ptr[0] + c9_ptr[0]);
  c110_ptr[0] = (c99_ptr[0]).y;
  c111_ptr[0] = (c102_ptr[0]).y;
  c112_ptr[0] = own_stripe14_ptr[1];
  c113_ptr[0] = __fmul_rn(c112_ptr[0], c97_ptr[0]);
  c114_ptr[0] = __fmul_rn(c113_ptr[0], c111_ptr[0]);
  c115_ptr[0] = (c114_ptr[0] + c110_ptr[0]);
  c116_ptr[0] = (c109_ptr[0] + 1);
  c117_ptr[0] = (c99_ptr[0]).z;
  c118_ptr[0] = (c102_ptr[0]).z;
  c119_ptr[0] = own_stripe14_ptr[2];
  c120_ptr[0] = __fmul_rn(c119_ptr[0], c97_ptr[0]);
  c121_ptr[0] = __fmul_rn(c120_ptr[0], c118_ptr[0]);
  c122_ptr[0] = (c121_ptr[0] + c117_ptr[0]);
  c123_ptr[0] = (c109_ptr[0] + 2);
  c124_ptr[0] = (c99_ptr[0]).w;
  c125_ptr[0] = (c102_ptr[0]).w;
  c126_ptr[0] = own_stripe14_ptr[3];
  c127_ptr[0] = __fmul_rn(c126_ptr[0], c97_ptr[0]);
  c128_ptr[0] = __fmul_rn(c127_ptr[0], c125_ptr[0]);
  c129_ptr[0] = (c128_ptr[0] + c124_ptr[0]);
  c130_ptr[0] = (c109_ptr[0] + 3);
  c131_ptr[0] = (c109_ptr[0] + (lane5 * 4));
  __stwb((&(*(float4*)(p_y_ptr + ((c131_ptr[0] >> 2) * 4)))), make_float4(c107_ptr[0], c115_ptr[0], c122_ptr[0], c129_ptr[0]));
}

