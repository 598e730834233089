// Function: sum_kernel_3aed11b7522e_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void sum_kernel_3aed11b7522e_0_kernel(  device float* p_x_ptr [[ buffer(0) ]],
  device float* p_y_ptr [[ buffer(1) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float shared_partial01[16];
  thread int c5[1];
  thread int c6[1];
  thread int c7[1];
  thread float c8[1];
  thread int c10[1];
  thread int c11[1];
  thread int c12[1];
  thread int c13[1];
  thread int c14[1];
  thread float4 c15[1];
  thread float c16[1];
  thread float c17[1];
  thread int c18[1];
  thread float c19[1];
  thread float c20[1];
  thread int c21[1];
  thread float c22[1];
  thread float c23[1];
  thread int c24[1];
  thread float c25[1];
  thread float c26[1];
  thread float c27[1];
  thread char c28[1];
  thread float c29[1];
  thread float c30[1];
  thread char c31[1];
  int lane2 = (((int)threadIdx) & 31);
  int subgroup3 = (((int)threadIdx) >> 5);
  long group4 = ((long)((int)blockIdx));
  c5[0] = ((int)group4);
  c6[0] = (subgroup3 * 128);
  c7[0] = (c5[0] * 4096);
  c8[0] = 0.000000e+00f;
  for (int i9 = 0; i9 < 2; ++i9) {
    c10[0] = (0 + i9);
    c11[0] = (c10[0] * 2048);
    c12[0] = (c11[0] + c6[0]);
    c13[0] = (c7[0] + c12[0]);
    c14[0] = (c13[0] + (lane2 * 4));
    c15[0] = *(device float4*)(p_x_ptr + ((c14[0] >> 2) * 4));
    c16[0] = (c15[0])[0];
    c17[0] = (c8[0] + c16[0]);
    c18[0] = (c13[0] + 1);
    c19[0] = (c15[0])[1];
    c20[0] = (c17[0] + c19[0]);
    c21[0] = (c13[0] + 2);
    c22[0] = (c15[0])[2];
    c23[0] = (c20[0] + c22[0]);
    c24[0] = (c13[0] + 3);
    c25[0] = (c15[0])[3];
    c26[0] = (c23[0] + c25[0]);
    c8[0] = c26[0];
  }
  c27[0] = simd_sum(c8[0]);
  if (lane2 == 0) {
    shared_partial01[subgroup3] = c27[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c28[0] = select((char)0, (char)1, (lane2 < 16));
  float condval;
  if (c28[0] != (char)0) {
    condval = shared_partial01[lane2];
  } else {
    condval = 0.000000e+00f;
  }
  c29[0] = condval;
  c30[0] = simd_sum(c29[0]);
  c31[0] = select((char)0, (char)1, (subgroup3 == 0));
  if (c31[0] != (char)0) {
    if (lane2 == 0) {
      p_y_ptr[c5[0]] = c30[0];
    }
  }
}


