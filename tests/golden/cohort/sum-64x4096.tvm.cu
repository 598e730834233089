
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
extern "C" __global__ void __launch_bounds__(1024) sum_kernel_3aed11b7522e_0_kernel(float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr);
extern "C" __global__ void __launch_bounds__(1024) sum_kernel_3aed11b7522e_0_kernel(float* __restrict__ p_x_ptr, float* __restrict__ p_y_ptr) {
  __shared__ alignas(64) float shared_partial01_ptr[32];
  alignas(64) int c4_ptr[1];
  alignas(64) int c5_ptr[1];
  alignas(64) int c6_ptr[1];
  alignas(64) int c7_ptr[1];
  alignas(64) float4 c8_ptr[1];
  alignas(64) float c9_ptr[1];
  alignas(64) float c10_ptr[1];
  alignas(64) int c11_ptr[1];
  alignas(64) float c12_ptr[1];
  alignas(64) float c13_ptr[1];
  alignas(64) int c14_ptr[1];
  alignas(64) float c15_ptr[1];
  alignas(64) float c16_ptr[1];
  alignas(64) int c17_ptr[1];
  alignas(64) float c18_ptr[1];
  alignas(64) float c19_ptr[1];
  alignas(64) float c20_ptr[1];
  alignas(64) float c21_ptr[1];
  alignas(64) float c22_ptr[1];
  alignas(64) float c23_ptr[1];
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
  alignas(64) signed char c41_ptr[1];
  int lane2 = (((int)threadIdx.x) & 31);
  int subgroup3 = (((int)threadIdx.x) >> 5);
  c4_ptr[0] = (subgroup3 * 128);
  c5_ptr[0] = (((int)blockIdx.x) * 4096);
  c6_ptr[0] = (c5_ptr[0] + c4_ptr[0]);
  c7_ptr[0] = (c6_ptr[0] + (lane2 * 4));
  c8_ptr[0] = *(float4*)(p_x_ptr + ((c7_ptr[0] >> 2) * 4));
  c9_ptr[0] = (c8_ptr[0]).x;
  c10_ptr[0] = (0x0p+0f/*0.000000e+00*/ + c9_ptr[0]);
  c11_ptr[0] = (c6_ptr[0] + 1);
  c12_ptr[0] = (c8_ptr[0]).y;
  c13_ptr[0] = (c10_ptr[0] + c12_ptr[0]);
  c14_ptr[0] = (c6_ptr[0] + 2);
  c15_ptr[0] = (c8_ptr[0]).z;
  c16_ptr[0] = (c13_ptr[0] + c15_ptr[0]);
  c17_ptr[0] = (c6_ptr[0] + 3);
  c18_ptr[0] = (c8_ptr[0]).w;
  c19_ptr[0] = (c16_ptr[0] + c18_ptr[0]);
  c20_ptr[0] = __shfl_xor_sync((uint)4294967295, c19_ptr[0], 16);
  c21_ptr[0] = (c19_ptr[0] + c20_ptr[0]);
  c22_ptr[0] = __shfl_xor_sync((uint)4294967295, c21_ptr[0], 8);
  c23_ptr[0] = (c21_ptr[0] + c22_ptr[0]);
  c24_ptr[0] = __shfl_xor_sync((uint)4294967295, c23_ptr[0], 4);
  c25_ptr[0] = (c23_ptr[0] + c24_ptr[0]);
  c26_ptr[0] = __shfl_xor_sync((uint)4294967295, c25_ptr[0], 2);
  c27_ptr[0] = (c25_ptr[0] + c26_ptr[0]);
  c28_ptr[0] = __shfl_xor_sync((uint)4294967295, c27_ptr[0], 1);
  c29_ptr[0] = (c27_ptr[0] + c28_ptr[0]);
  if (lane2 == 0) {
    shared_partial01_ptr[subgroup3] = c29_ptr[0];
  }
  __syncthreads();
  c30_ptr[0] = shared_partial01_ptr[lane2];
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
  c41_ptr[0] = ((subgroup3 == 0) ? (signed char)1 : (signed char)0);
  if (c41_ptr[0] != (signed char)0) {
    if (lane2 == 0) {
      p_y_ptr[((int)blockIdx.x)] = c40_ptr[0];
    }
  }
}

