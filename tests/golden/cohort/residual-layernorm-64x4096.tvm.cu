
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
extern "C" __global__ void __launch_bounds__(1024) layer_norm_kernel_1235bbbf3336_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_residual_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps);
extern "C" __global__ void __launch_bounds__(1024) layer_norm_kernel_1235bbbf3336_0_kernel(float* __restrict__ p_bias_ptr, float* __restrict__ p_residual_ptr, float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps) {
  __shared__ alignas(64) float shared_partial01_ptr[32];
  __shared__ alignas(64) float shared_partial12_ptr[32];
  alignas(64) float own_stripe03_ptr[4];
  alignas(64) float own_stripe14_ptr[4];
  alignas(64) int c7_ptr[1];
  alignas(64) float c8_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) float c10_ptr[1];
  alignas(64) float c11_ptr[1];
  alignas(64) int c12_ptr[1];
  alignas(64) int c13_ptr[1];
  alignas(64) int c14_ptr[1];
  alignas(64) int c15_ptr[1];
  alignas(64) int c16_ptr[1];
  alignas(64) int c17_ptr[1];
  alignas(64) float4 c18_ptr[1];
  alignas(64) float c19_ptr[1];
  alignas(64) int c20_ptr[1];
  alignas(64) int c21_ptr[1];
  alignas(64) float4 c22_ptr[1];
  alignas(64) float c23_ptr[1];
  alignas(64) float c24_ptr[1];
  alignas(64) float c25_ptr[1];
  alignas(64) float c26_ptr[1];
  alignas(64) int c27_ptr[1];
  alignas(64) float c28_ptr[1];
  alignas(64) int c29_ptr[1];
  alignas(64) float c30_ptr[1];
  alignas(64) float c31_ptr[1];
  alignas(64) float c32_ptr[1];
  alignas(64) float c33_ptr[1];
  alignas(64) int c34_ptr[1];
  alignas(64) float c35_ptr[1];
  alignas(64) int c36_ptr[1];
  alignas(64) float c37_ptr[1];
  alignas(64) float c38_ptr[1];
  alignas(64) float c39_ptr[1];
  alignas(64) float c40_ptr[1];
  alignas(64) int c41_ptr[1];
  alignas(64) float c42_ptr[1];
  alignas(64) int c43_ptr[1];
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
  alignas(64) float c98_ptr[1];
  alignas(64) float c99_ptr[1];
  alignas(64) float c100_ptr[1];
  alignas(64) float c101_ptr[1];
  alignas(64) float c102_ptr[1];
  alignas(64) float c103_ptr[1];
  alignas(64) float c104_ptr[1];
  alignas(64) float c105_ptr[1];
  alignas(64) float c106_ptr[1];
  alignas(64) float c107_ptr[1];
  alignas(64) float c108_ptr[1];
  alignas(64) float c109_ptr[1];
  alignas(64) float c110_ptr[1];
  alignas(64) float c111_ptr[1];
  alignas(64) float c112_ptr[1];
  alignas(64) float c113_ptr[1];
  alignas(64) float c114_ptr[1];
  alignas(64) int c115_ptr[1];
  alignas(64) float4 c116_ptr[1];
  alignas(64) float c117_ptr[1];
  alignas(64) int c118_ptr[1];
  alignas(64) float4 c119_ptr[1];
  alignas(64) float c120_ptr[1];
  alignas(64) float c121_ptr[1];
  alignas(64) float c122_ptr[1];
  alignas(64) float c123_ptr[1];
  alignas(64) float c124_ptr[1];
  alignas(64) int c125_ptr[1];
  alignas(64) int c126_ptr[1];
  alignas(64) float c127_ptr[1];
  alignas(64) float c128_ptr[1];
  alignas(64) float c129_ptr[1];
  alignas(64) float c130_ptr[1];
  alignas(64) float c131_ptr[1];
  alignas(64) float c132_ptr[1];
  alignas(64) int c133_ptr[1];
  alignas(64) float c134_ptr[1];
  alignas(64) float c135_ptr[1];
  alignas(64) float c136_ptr[1];
  alignas(64) float c137_ptr[1];
  alignas(64) float c138_ptr[1];
  alignas(64) float c139_ptr[1];
  alignas(64) int c140_ptr[1];
  alignas(64) float c141_ptr[1];
  alignas(64) float c142_ptr[1];
  alignas(64) float c143_ptr[1];
  alignas(64) float c144_ptr[1];
  alignas(64) float c145_ptr[1];
  alignas(64) float c146_ptr[1];
  alignas(64) int c147_ptr[1];
  alignas(64) int c148_ptr[1];
  int lane5 = (((int)threadIdx.x) & 31);
  int subgroup6 = (((int)threadIdx.x) >> 5);
  c7_ptr[0] = (((int)blockIdx.x) * 4096);
  c8_ptr[0] = p_residual_ptr[c7_ptr[0]];
  c9_ptr[0] = (((int)blockIdx.x) * 4096);
  c10_ptr[0] = p_x_ptr[c9_ptr[0]];
  c11_ptr[0] = (c10_ptr[0] + c8_ptr[0]);
  c12_ptr[0] = (subgroup6 * 128);
  c13_ptr[0] = (c12_ptr[0] + 1);
  c14_ptr[0] = (c12_ptr[0] + 2);
  c15_ptr[0] = (c12_ptr[0] + 3);
  c16_ptr[0] = (c9_ptr[0] + c12_ptr[0]);
  c17_ptr[0] = (c16_ptr[0] + (lane5 * 4));
  c18_ptr[0] = *(float4*)(p_x_ptr + ((c17_ptr[0] >> 2) * 4));
  c19_ptr[0] = (c18_ptr[0]).x;
  c20_ptr[0] = (c7_ptr[0] + c12_ptr[0]);
  c21_ptr[0] = (c20_ptr[0] + (lane5 * 4));
  c22_ptr[0] = *(float4*)(p_residual_ptr + ((c21_ptr[0] >> 2) * 4));
  c23_ptr[0] = (c22_ptr[0]).x;
  c24_ptr[0] = (c19_ptr[0] + c23_ptr[0]);
  own_stripe03_ptr[0] = c24_ptr[0];
  c25_ptr[0] = (c24_ptr[0] - c11_ptr[0]);
  c26_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c25_ptr[0]);
  c27_ptr[0] = (c16_ptr[0] + 1);
  c28_ptr[0] = (c18_ptr[0]).y;
  c29_ptr[0] = (c20_ptr[0] + 1);
  c30_ptr[0] = (c22_ptr[0]).y;
  c31_ptr[0] = (c28_ptr[0] + c30_ptr[0]);
  own_stripe03_ptr[1] = c31_ptr[0];
  c32_ptr[0] = (c31_ptr[0] - c11_ptr[0]);
  c33_ptr[0] = (c26_ptr[0] + c32_ptr[0]);
  c34_ptr[0] = (c16_ptr[0] + 2);
  c35_ptr[0] = (c18_ptr[0]).z;
  c36_ptr[0] = (c20_ptr[0] + 2);
  c37_ptr[0] = (c22_ptr[0]).z;
  c38_ptr[0] = (c35_ptr[0] + c37_ptr[0]);
  own_stripe03_ptr[2] = c38_ptr[0];
  c39_ptr[0] = (c38_ptr[0] - c11_ptr[0]);
  c40_ptr[0] = (c33_ptr[0] + c39_ptr[0]);
  c41_ptr[0] = (c16_ptr[0] + 3);
  c42_ptr[0] = (c18_ptr[0]).w;
  c43_ptr[0] = (c20_ptr[0] + 3);
  c44_ptr[0] = (c22_ptr[0]).w;
  c45_ptr[0] = (c42_ptr[0] + c44_ptr[0]);
  own_stripe03_ptr[3] = c45_ptr[0];
  c46_ptr[0] = (c45_ptr[0] - c11_ptr[0]);
  c47_ptr[0] = (c40_ptr[0] + c46_ptr[0]);
  c48_ptr[0] = __shfl_xor_sync((uint)4294967295, c47_ptr[0], 16);
  c49_ptr[0] = (c47_ptr[0] + c48_ptr[0]);
  c50_ptr[0] = __shfl_xor_sync((uint)4294967295, c49_ptr[0], 8);
  c51_ptr[0] = (c49_ptr[0] + c50_ptr[0]);
  c52_ptr[0] = __shfl_xor_sync((uint)4294967295, c51_ptr[0], 4);
  c53_ptr[0] = (c51_ptr[0] + c52_ptr[0]);
  c54_ptr[0] = __shfl_xor_sync((uint)4294967295, c53_ptr[0], 2);
  c55_ptr[0] = (c53_ptr[0] + c54_ptr[0]);
  c56_ptr[0] = __shfl_xor_sync((uint)4294967295, c55_ptr[0], 1);
  c57_ptr[0] = (c55_ptr[0] + c56_ptr[0]);
  if (lane5 == 0) {
    shared_partial01_ptr[subgroup6] = c57_ptr[0];
  }
  __syncthreads();
  c58_ptr[0] = shared_partial01_ptr[lane5];
  c59_ptr[0] = __shfl_xor_sync((uint)4294967295, c58_ptr[0], 16);
  c60_ptr[0] = (c58_ptr[0] + c59_ptr[0]);
  c61_ptr[0] = __shfl_xor_sync((uint)4294967295, c60_ptr[0], 8);
  c62_ptr[0] = (c60_ptr[0] + c61_ptr[0]);
  c63_ptr[0] = __shfl_xor_sync((uint)4294967295, c62_ptr[0], 4);
  c64_ptr[0] = (c62_ptr[0] + c63_ptr[0]);
  c65_ptr[0] = __shfl_xor_sync((uint)4294967295, c64_ptr[0], 2);
  c66_ptr[0] = (c64_ptr[0] + c65_ptr[0]);
  c67_ptr[0] = __shfl_xor_sync((uint)4294967295, c66_ptr[0], 1);
  c68_ptr[0] = (c66_ptr[0] + c67_ptr[0]);
  c69_ptr[0] = (c68_ptr[0] / 0x1p+12f/*4.096000e+03*/);
  c70_ptr[0] = (-0x0p+0f/*-0.000000e+00*/ - c11_ptr[0]);
  c71_ptr[0] = own_stripe03_ptr[0];
  c72_ptr[0] = fmaf(c71_ptr[0], 0x1p+0f/*1.000000e+00*/, c70_ptr[0]);
  c73_ptr[0] = (c72_ptr[0] - c69_ptr[0]);
  own_stripe14_ptr[0] = c73_ptr[0];
  c74_ptr[0] = __fmul_rn(c73_ptr[0], c73_ptr[0]);
  c75_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c74_ptr[0]);
  c76_ptr[0] = own_stripe03_ptr[1];
  c77_ptr[0] = fmaf(c76_ptr[0], 0x1p+0f/*1.000000e+00*/, c70_ptr[0]);
  c78_ptr[0] = (c77_ptr[0] - c69_ptr[0]);
  own_stripe14_ptr[1] = c78_ptr[0];
  c79_ptr[0] = __fmul_rn(c78_ptr[0], c78_ptr[0]);
  c80_ptr[0] = (c75_ptr[0] + c79_ptr[0]);
  c81_ptr[0] = own_stripe03_ptr[2];
  c82_ptr[0] = fmaf(c81_ptr[0], 0x1p+0f/*1.000000e+00*/, c70_ptr[0]);
  c83_ptr[0] = (c82_ptr[0] - c69_ptr[0]);
  own_stripe14_ptr[2] = c83_ptr[0];
  c84_ptr[0] = __fmul_rn(c83_ptr[0], c83_ptr[0]);
  c85_ptr[0] = (c80_ptr[0] + c84_ptr[0]);
  c86_ptr[0] = own_stripe03_ptr[3];
  c87_ptr[0] = fmaf(c86_ptr[0], 0x1p+0f/*1.000000e+00*/, c70_ptr[0]);
  c88_ptr[0] = (c87_ptr[0] - c69_ptr[0]);
  own_stripe14_ptr[3] = c88_ptr[0];
  c89_ptr[0] = __fmul_rn(c88_ptr[0], c88_ptr[0]);
  c90_ptr[0] = (c85_ptr[0] + c89_ptr[0]);
  c91_ptr[0] = __shfl_xor_sync((uint)4294967295, c90_ptr[0], 16);
  c92_ptr[0] = (c90_ptr[0] + c91_ptr[0]);
  c93_ptr[0] = __shfl_xor_sync((uint)4294967295, c92_ptr[0], 8);
  c94_ptr[0] = (c92_ptr[0] + c93_ptr[0]);
  c95_ptr[0] = __shfl_xor_sync((uint)4294967295, c94_ptr[0], 4);
  c96_ptr[0] = (c94_ptr[0] + c95_ptr[0]);
  c97_ptr[0] = __shfl_xor_sync((uint)4294967295, c96_ptr[0], 2);
  c98_ptr[0] = (c96_ptr[0] + c97_ptr[0]);
  c99_ptr[0] = __shfl_xor_sync((uint)4294967295, c98_ptr[0], 1);
  c100_ptr[0] = (c98_ptr[0] + c99_ptr[0]);
  if (lane5 == 0) {
    shared_partial12_ptr[subgroup6] = c100_ptr[0];
  }
  __syncthreads();
  c101_ptr[0] = shared_partial12_ptr[lane5];
  c102_ptr[0] = __shfl_xor_sync((uint)4294967295, c101_ptr[0], 16);
  c103_ptr[0] = (c101_ptr[0] + c102_ptr[0]);
  c104_ptr[0] = __shfl_xor_sync((uint)4294967295, c103_ptr[0], 8);
  c105_ptr[0] = (c103_ptr[0] + c104_ptr[0]);
  c106_ptr[0] = __shfl_xor_sync((uint)4294967295, c105_ptr[0], 4);
  c107_ptr[0] = (c105_ptr[0] + c106_ptr[0]);
  c108_ptr[0] = __shfl_xor_sync((uint)4294967295, c107_ptr[0], 2);
  c109_ptr[0] = (c107_ptr[0] + c108_ptr[0]);
  c110_ptr[0] = __shfl_xor_sync((uint)4294967295, c109_ptr[0], 1);
  c111_ptr[0] = (c109_ptr[0] + c110_ptr[0]);
  c112_ptr[0] = (c111_ptr[0] / 0x1p+12f/*4.096000e+03*/);
  c113_ptr[0] = (c112_ptr[0] + n_eps);
  c114_ptr[0] = __frsqrt_rn(c113_ptr[0]);
  c115_ptr[0] = (c12_ptr[0] + (lane5 * 4));
  c116_ptr[0] = *(float4*)(p_bias_ptr + ((c115_ptr[0] >> 2) * 4));
  c117_ptr[0] = (c116_ptr[0]).x;
  c118_ptr[0] = (c12_ptr[0] + (lane5 * 4));
  c119_ptr[0] = *(float4*)(p_weight_ptr + ((c118_ptr[0] >> 2) * 4));
  c120_ptr[0] = (c119_ptr[0]).x;
  c121_ptr[0] = own_stripe14_ptr[0];
  c122_ptr[0] = __fmul_rn(c121_ptr[0], c114_ptr[0]);
  c123_ptr[0] = __fmul_rn(c122_ptr[0], c120_ptr[0]);
  c124_ptr[0] = (c123_ptr[0] + c117_ptr[0]);
  c125_ptr[0] = (((int)blockIdx.x) * 4096);
  c126_ptr[0] = (c125_ptr[0] + c12_ptr[0]);
  c127_ptr[0] = (c116_ptr[0]).y;
  c128_ptr[0] = (c119_ptr[0]).y;
  c129_ptr[0] = own_stripe14_ptr[1];
  c130_ptr[0] = __fmul_rn(c129_ptr[0], c114_ptr[0]);
  c131_ptr[0] = __fmul_rn(c130_ptr[0], c128_ptr[0]);
  c132_ptr[0] = (c131_ptr[0] + c127_ptr[0]);
  c133_ptr[0] = (c126_ptr[0] + 1);
  c134_ptr[0] = (c116_ptr[0]).z;
  c135_ptr[0] = (c119_ptr[0]).z;
  c136_ptr[0] = own_stripe14_ptr[2];
  c137_ptr[0] = __fmul_rn(c136_ptr[0], c114_ptr[0]);
  c138_ptr[0] = __fmul_rn(c137_ptr[0], c135_ptr[0]);
  c139_ptr[0] = (c138_ptr[0] + c134_ptr[0]);
  c140_ptr[0] = (c126_ptr[0] + 2);
  c141_ptr[0] = (c116_ptr[0]).w;
  c142_ptr[0] = (c119_ptr[0]).w;
  c143_ptr[0] = own_stripe14_ptr[3];
  c144_ptr[0] = __fmul_rn(c143_ptr[0], c114_ptr[0]);
  c145_ptr[0] = __fmul_rn(c144_ptr[0], c142_ptr[0]);
  c146_ptr[0] = (c145_ptr[0] + c141_ptr[0]);
  c147_ptr[0] = (c126_ptr[0] + 3);
  c148_ptr[0] = (c126_ptr[0] + (lane5 * 4));
  __stwb((&(*(float4*)(p_y_ptr + ((c148_ptr[0] >> 2) * 4)))), make_float4(c124_ptr[0], c132_ptr[0], c139_ptr[0], c146_ptr[0]));
}

