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
  thread long c4[1];
  thread float c5[1];
  thread long c7[1];
  thread long c8[1];
  thread long c9[1];
  thread float c10[1];
  thread float c11[1];
  thread long c12[1];
  thread char c13[1];
  thread long c14[1];
  thread float c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  int lane1 = (((int)threadIdx) & 31);
  int subgroup2 = (((int)threadIdx) >> 5);
  long group3 = ((long)((int)blockIdx));
  c4[0] = (group3 * (long)127);
  c5[0] = 0.000000e+00f;
  for (long i6 = (long)0; i6 < (long)3; ++i6) {
    c7[0] = ((long)0 + i6);
    c8[0] = (c7[0] * (long)32);
    c9[0] = (c4[0] + c8[0]);
    c10[0] = p_x_ptr[(c9[0] + ((long)lane1))];
    c11[0] = (c5[0] + c10[0]);
    c5[0] = c11[0];
  }
  c12[0] = ((long)lane1);
  c13[0] = select((char)0, (char)1, (c12[0] < (long)31));
  c14[0] = (c4[0] + (long)96);
  float condval;
  if (c13[0] != (char)0) {
    condval = p_x_ptr[(c14[0] + ((long)lane1))];
  } else {
    condval = 0.000000e+00f;
  }
  c15[0] = condval;
  c16[0] = (c5[0] + c15[0]);
  c17[0] = select(c5[0], c16[0], (c13[0] != (char)0));
  c18[0] = simd_sum(c17[0]);
  if (lane1 == 0) {
    p_y_ptr[group3] = c18[0];
  }
}


