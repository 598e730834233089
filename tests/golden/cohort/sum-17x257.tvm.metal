// Function: sum_kernel_89f17e8f9535_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void sum_kernel_89f17e8f9535_0_kernel(  device float* p_x_ptr [[ buffer(0) ]],
  device float* p_y_ptr [[ buffer(1) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread int c3[1];
  thread float c4[1];
  thread int c6[1];
  thread int c7[1];
  thread int c8[1];
  thread float c9[1];
  thread float c10[1];
  thread char c11[1];
  thread int c12[1];
  thread float c13[1];
  thread float c14[1];
  thread float c15[1];
  thread float c16[1];
  int lane1 = (((int)threadIdx) & 31);
  int subgroup2 = (((int)threadIdx) >> 5);
  c3[0] = (((int)blockIdx) * 257);
  c4[0] = 0.000000e+00f;
  for (int i5 = 0; i5 < 8; ++i5) {
    c6[0] = (0 + i5);
    c7[0] = (c6[0] * 32);
    c8[0] = (c3[0] + c7[0]);
    c9[0] = p_x_ptr[(c8[0] + lane1)];
    c10[0] = (c4[0] + c9[0]);
    c4[0] = c10[0];
  }
  c11[0] = select((char)0, (char)1, (lane1 < 1));
  c12[0] = (c3[0] + 256);
  float condval;
  if (c11[0] != (char)0) {
    condval = p_x_ptr[(c12[0] + lane1)];
  } else {
    condval = 0.000000e+00f;
  }
  c13[0] = condval;
  c14[0] = (c4[0] + c13[0]);
  c15[0] = select(c4[0], c14[0], (c11[0] != (char)0));
  c16[0] = simd_sum(c15[0]);
  if (lane1 == 0) {
    p_y_ptr[((int)blockIdx)] = c16[0];
  }
}


