// Function: rms_norm_kernel_027240339f71_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void rms_norm_kernel_027240339f71_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_weight_ptr [[ buffer(1) ]],
  device float* p_x_ptr [[ buffer(2) ]],
  device float* p_y_ptr [[ buffer(3) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float shared_partial01[5];
  thread float own_stripe02[2];
  thread int c6[1];
  thread int c7[1];
  thread int c8[1];
  thread int c9[1];
  thread float c10[1];
  thread float c11[1];
  thread float c12[1];
  thread int c13[1];
  thread int c14[1];
  thread char c15[1];
  thread int c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread char c22[1];
  thread float c23[1];
  thread float c24[1];
  thread float c25[1];
  thread float c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread int c34[1];
  thread int c35[1];
  thread float c36[1];
  thread float c37[1];
  thread float c38[1];
  thread float c39[1];
  thread int c40[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  long group5 = ((long)((int)blockIdx));
  c6[0] = ((int)group5);
  c7[0] = (subgroup4 * 32);
  c8[0] = (c6[0] * 257);
  c9[0] = (c8[0] + c7[0]);
  c10[0] = p_x_ptr[(c9[0] + lane3)];
  own_stripe02[0] = c10[0];
  c11[0] = (c10[0] * c10[0]);
  c12[0] = (0.000000e+00f + c11[0]);
  c13[0] = (c7[0] + 160);
  c14[0] = (c7[0] + lane3);
  c15[0] = select((char)0, (char)1, (c14[0] < 97));
  c16[0] = (c9[0] + 160);
  float condval;
  if (c15[0] != (char)0) {
    condval = p_x_ptr[(c16[0] + lane3)];
  } else {
    condval = 0.000000e+00f;
  }
  c17[0] = condval;
  own_stripe02[1] = c17[0];
  c18[0] = (c17[0] * c17[0]);
  c19[0] = (c12[0] + c18[0]);
  c20[0] = select(c12[0], c19[0], (c15[0] != (char)0));
  c21[0] = simd_sum(c20[0]);
  if (lane3 == 0) {
    shared_partial01[subgroup4] = c21[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c22[0] = select((char)0, (char)1, (lane3 < 5));
  float condval_1;
  if (c22[0] != (char)0) {
    condval_1 = shared_partial01[lane3];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c23[0] = condval_1;
  c24[0] = simd_sum(c23[0]);
  c25[0] = n_eps_ptr[0];
  c26[0] = (c24[0] / 2.570000e+02f);
  c27[0] = (c26[0] + c25[0]);
  c28[0] = precise::sqrt(c27[0]);
  c29[0] = (1.000000e+00f / c28[0]);
  c30[0] = p_weight_ptr[(c7[0] + lane3)];
  c31[0] = own_stripe02[0];
  c32[0] = (c31[0] * c29[0]);
  c33[0] = (c32[0] * c30[0]);
  c34[0] = (c6[0] * 257);
  c35[0] = (c34[0] + c7[0]);
  p_y_ptr[(c35[0] + lane3)] = c33[0];
  float condval_2;
  if (c15[0] != (char)0) {
    condval_2 = p_weight_ptr[(c13[0] + lane3)];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c36[0] = condval_2;
  c37[0] = own_stripe02[1];
  c38[0] = (c37[0] * c29[0]);
  c39[0] = (c38[0] * c36[0]);
  c40[0] = (c35[0] + 160);
  if (c15[0] != (char)0) {
    p_y_ptr[(c40[0] + lane3)] = c39[0];
  }
}


