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
  threadgroup float shared_partial01[10];
  thread float own_stripe02[1];
  thread int c5[1];
  thread int c6[1];
  thread char c7[1];
  thread int c8[1];
  thread int c9[1];
  thread float c10[1];
  thread float c11[1];
  thread float c12[1];
  thread float c13[1];
  thread float c14[1];
  thread char c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread float c22[1];
  thread float c23[1];
  thread float c24[1];
  thread float c25[1];
  thread float c26[1];
  thread int c27[1];
  thread int c28[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  c5[0] = (subgroup4 * 32);
  c6[0] = (c5[0] + lane3);
  c7[0] = select((char)0, (char)1, (c6[0] < 257));
  c8[0] = (((int)blockIdx) * 257);
  c9[0] = (c8[0] + c5[0]);
  float condval;
  if (c7[0] != (char)0) {
    condval = p_x_ptr[(c9[0] + lane3)];
  } else {
    condval = 0.000000e+00f;
  }
  c10[0] = condval;
  own_stripe02[0] = c10[0];
  c11[0] = (c10[0] * c10[0]);
  c12[0] = (0.000000e+00f + c11[0]);
  c13[0] = select(0.000000e+00f, c12[0], (c7[0] != (char)0));
  c14[0] = simd_sum(c13[0]);
  if (lane3 == 0) {
    shared_partial01[subgroup4] = c14[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c15[0] = select((char)0, (char)1, (lane3 < 10));
  float condval_1;
  if (c15[0] != (char)0) {
    condval_1 = shared_partial01[lane3];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c16[0] = condval_1;
  c17[0] = simd_sum(c16[0]);
  c18[0] = n_eps_ptr[0];
  c19[0] = (c17[0] / 2.570000e+02f);
  c20[0] = (c19[0] + c18[0]);
  c21[0] = precise::sqrt(c20[0]);
  c22[0] = (1.000000e+00f / c21[0]);
  float condval_2;
  if (c7[0] != (char)0) {
    condval_2 = p_weight_ptr[(c5[0] + lane3)];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c23[0] = condval_2;
  c24[0] = own_stripe02[0];
  c25[0] = (c24[0] * c22[0]);
  c26[0] = (c25[0] * c23[0]);
  c27[0] = (((int)blockIdx) * 257);
  c28[0] = (c27[0] + c5[0]);
  if (c7[0] != (char)0) {
    p_y_ptr[(c28[0] + lane3)] = c26[0];
  }
}


