
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
extern "C" __global__ void __launch_bounds__(1024) rms_norm_kernel_d71501988034_0_kernel(float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps);
extern "C" __global__ void __launch_bounds__(1024) rms_norm_kernel_d71501988034_0_kernel(float* __restrict__ p_weight_ptr, float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr, float n_eps) {
  __shared__ alignas(64) float shared_partial01_ptr[32];
  alignas(64) float own_stripe02_ptr[4];
  alignas(64) int c5_ptr[1];
  alignas(64) int c6_ptr[1];
  alignas(64) int c7_ptr[1];
  alignas(64) int c8_ptr[1];
  alignas(64) int c9_ptr[1];
  alignas(64) int c10_ptr[1];
  alignas(64) int c11_ptr[1];
  alignas(64) float4 c12_ptr[1];
  alignas(64) float c13_ptr[1];
  alignas(64) float c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) int c16_ptr[1];
  alignas(64) float c17_ptr[1];
  alignas(64) float c18_ptr[1];
  alignas(64) float c19_ptr[1];
  alignas(64) int c20_ptr[1];
  alignas(64) float c21_ptr[1];
  alignas(64) float c22_ptr[1];
  alignas(64) float c23_ptr[1];
  alignas(64) int c24_ptr[1];
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
  alignas(64) int c52_ptr[1];
  alignas(64) float4 c53_ptr[1];
  alignas(64) float c54_ptr[1];
  alignas(64) float c55_ptr[1];
  alignas(64) float c56_ptr[1];
  alignas(64) float c57_ptr[1];
  alignas(64) int c58_ptr[1];
  alignas(64) int c59_ptr[1];
  alignas(64) float c60_ptr[1];
  alignas(64) float c61_ptr[1];
  alignas(64) float c62_ptr[1];
  alignas(64) float c63_ptr[1];
  alignas(64) int c64_ptr[1];
  alignas(64) float c65_ptr[1];
  alignas(64) float c66_ptr[1];
  alignas(64) float c67_ptr[1];
  alignas(64) float c68_ptr[1];
  alignas(64) int c69_ptr[1];
  alignas(64) float c70_ptr[1];
  alignas(64) float c71_ptr[1];
  alignas(64) float c72_ptr[1];
  alignas(64) float c73_ptr[1];
  alignas(64) int c74_ptr[1];
  alignas(64) int c75_ptr[1];
  int lane3 = (((int)threadIdx.x) & 31);
  int subgroup4 = (((int)threadIdx.x) >> 5);
  c5_ptr[0] = (subgroup4 * 128);
  c6_ptr[0] = (c5_ptr[0] + 1);
  c7_ptr[0] = (c5_ptr[0] + 2);
  c8_ptr[0] = (c5_ptr[0] + 3);
  c9_ptr[0] = (((int)blockIdx.x) * 4096);
  c10_ptr[0] = (c9_ptr[0] + c5_ptr[0]);
  c11_ptr[0] = (c10_ptr[0] + (lane3 * 4));
  c12_ptr[0] = *(float4*)(p_x_ptr + ((c11_ptr[0] >> 2) * 4));
  c13_ptr[0] = (c12_ptr[0]).x;
  own_stripe02_ptr[0] = c13_ptr[0];
  c14_ptr[0] = __fmul_rn(c13_ptr[0], c13_ptr[0]);
  c15_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c14_ptr[0]);
  c16_ptr[0] = (c10_ptr[0] + 1);
  c17_ptr[0] = (c12_ptr[0]).y;
  own_stripe02_ptr[1] = c17_ptr[0];
  c18_ptr[0] = __fmul_rn(c17_ptr[0], c17_ptr[0]);
  c19_ptr[0] = (c15_ptr[0] + c18_ptr[0]);
  c20_ptr[0] = (c10_ptr[0] + 2);
  c21_ptr[0] = (c12_ptr[0]).z;
  own_stripe02_ptr[2] = c21_ptr[0];
  c22_ptr[0] = __fmul_rn(c21_ptr[0], c21_ptr[0]);
  c23_ptr[0] = (c19_ptr[0] + c22_ptr[0]);
  c24_ptr[0] = (c10_ptr[0] + 3);
  c25_ptr[0] = (c12_ptr[0]).w;
  own_stripe02_ptr[3] = c25_ptr[0];
  c26_ptr[0] = __fmul_rn(c25_ptr[0], c25_ptr[0]);
  c27_ptr[0] = (c23_ptr[0] + c26_ptr[0]);
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
  if (lane3 == 0) {
    shared_partial01_ptr[subgroup4] = c37_ptr[0];
  }
  __syncthreads();
  c38_ptr[0] = shared_partial01_ptr[lane3];
  c39_ptr[0] = __shfl_xor_sync((uint)4294967295, c38_ptr[0], 16);
  c40_ptr[0] = (c38_ptr[0] + c39_ptr[0]);
  c41_ptr[0] = __shfl_xor_sync((uint)4294967295, c40_ptr[0], 8);
  c42_ptr[0] = (c40_ptr[0] + c41_ptr[0]);
  c43_ptr[0] = __shfl_xor_sync((uint)4294967295, c42_ptr[0], 4);
  c44_ptr[0] = (c42_ptr[0] + c43_ptr[0]);
  c45_ptr[0] = __shfl_xor_sync((uint)4294967295, c44_ptr[0], 2);
  c46_ptr[0] = (c44_ptr[0] + c45_ptr[0]);
  c47_ptr[0] = __shfl_xor_sync((uint)4294967295, c46_ptr[0], 1);
  c48_ptr[0] = (c46_ptr[0] + c47_ptr[0]);
  c49_ptr[0] = (c48_ptr[0] / 0x1p+12f/*4.096000e+03*/);
  c50_ptr[0] = (c49_ptr[0] + n_eps);
  c51_ptr[0] = __frsqrt_rn(c50_ptr[0]);
  c52_ptr[0] = (c5_ptr[0] + (lane3 * 4));
  c53_ptr[0] = *(float4*)(p_weight_ptr + ((c52_ptr[0] >> 2) * 4));
  c54_ptr[0] = (c53_ptr[0]).x;
  c55_ptr[0] = own_stripe02_ptr[0];
  c56_ptr[0] = __fmul_rn(c55_ptr[0], c51_ptr[0]);
  c57_ptr[0] = __fmul_rn(c56_ptr[0], c54_ptr[0]);
  c58_ptr[0] = (((int)blockIdx.x) * 4096);
  c59_ptr[0] = (c58_ptr[0] + c5_ptr[0]);
  c60_ptr[0] = (c53_ptr[0]).y;
  c61_ptr[0] = own_stripe02_ptr[1];
  c62_ptr[0] = __fmul_rn(c61_ptr[0], c51_ptr[0]);
  c63_ptr[0] = __fmul_rn(c62_ptr[0], c60_ptr[0]);
  c64_ptr[0] = (c59_ptr[0] + 1);
  c65_ptr[0] = (c53_ptr[0]).z;
  c66_ptr[0] = own_stripe02_ptr[2];
  c67_ptr[0] = __fmul_rn(c66_ptr[0], c51_ptr[0]);
  c68_ptr[0] = __fmul_rn(c67_ptr[0], c65_ptr[0]);
  c69_ptr[0] = (c59_ptr[0] + 2);
  c70_ptr[0] = (c53_ptr[0]).w;
  c71_ptr[0] = own_stripe02_ptr[3];
  c72_ptr[0] = __fmul_rn(c71_ptr[0], c51_ptr[0]);
  c73_ptr[0] = __fmul_rn(c72_ptr[0], c70_ptr[0]);
  c74_ptr[0] = (c59_ptr[0] + 3);
  c75_ptr[0] = (c59_ptr[0] + (lane3 * 4));
  __stwb((&(*(float4*)(p_y_ptr + ((c75_ptr[0] >> 2) * 4)))), make_float4(c57_ptr[0], c63_ptr[0], c68_ptr[0], c73_ptr[0]));
}

