// Function: sum_kernel_3e372b86f9b5_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void sum_kernel_3e372b86f9b5_0_kernel(  device float* p_x_ptr [[ buffer(0) ]],
  device float* p_y_ptr [[ buffer(1) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread int c3[1];
  thread char c4[1];
  thread int c5[1];
  thread int c6[1];
  thread float2 c7[1];
  thread float c8[1];
  thread float c9[1];
  thread int c10[1];
  thread float c11[1];
  thread float c12[1];
  thread int c13[1];
  thread float c14[1];
  thread float c15[1];
  thread int c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  int lane1 = (((int)threadIdx) & 31);
  int subgroup2 = (((int)threadIdx) >> 5);
  c3[0] = (lane1 * 4);
  c4[0] = select((char)0, (char)1, (c3[0] < 124));
  c5[0] = (((int)blockIdx) * 127);
  c6[0] = (c5[0] + (lane1 * 4));
  c7[0] = *(device float2*)(p_x_ptr + ((c6[0] >> 1) * 2));
  c8[0] = (c7[0])[0];
  c9[0] = (0.000000e+00f + c8[0]);
  c10[0] = (c5[0] + 1);
  c11[0] = (c7[0])[1];
  c12[0] = (c9[0] + c11[0]);
  c13[0] = (c5[0] + 2);
  c14[0] = p_x_ptr[(c13[0] + (lane1 * 4))];
  c15[0] = (c12[0] + c14[0]);
  c16[0] = (c5[0] + 3);
  float condval;
  if (c4[0] != (char)0) {
    condval = p_x_ptr[(c16[0] + (lane1 * 4))];
  } else {
    condval = 0.000000e+00f;
  }
  c17[0] = condval;
  c18[0] = (c15[0] + c17[0]);
  c19[0] = select(c15[0], c18[0], (c4[0] != (char)0));
  c20[0] = simd_sum(c19[0]);
  if (lane1 == 0) {
    p_y_ptr[((int)blockIdx)] = c20[0];
  }
}


