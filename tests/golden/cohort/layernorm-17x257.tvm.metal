// Function: layer_norm_kernel_9c953c2e3adb_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_9c953c2e3adb_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_bias_ptr [[ buffer(1) ]],
  device float* p_weight_ptr [[ buffer(2) ]],
  device float* p_x_ptr [[ buffer(3) ]],
  device float* p_y_ptr [[ buffer(4) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float shared_partial01[10];
  threadgroup float shared_partial12[10];
  thread float own_stripe03[1];
  thread float own_stripe14[1];
  thread int c7[1];
  thread float c8[1];
  thread int c9[1];
  thread int c10[1];
  thread char c11[1];
  thread int c12[1];
  thread float c13[1];
  thread float c14[1];
  thread float c15[1];
  thread float c16[1];
  thread float c17[1];
  thread char c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread float c22[1];
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
  thread float c34[1];
  thread float c35[1];
  thread float c36[1];
  thread float c37[1];
  thread float c38[1];
  thread float c39[1];
  thread float c40[1];
  thread float c41[1];
  thread float c42[1];
  thread int c43[1];
  thread int c44[1];
  int lane5 = (((int)threadIdx) & 31);
  int subgroup6 = (((int)threadIdx) >> 5);
  c7[0] = (((int)blockIdx) * 257);
  c8[0] = p_x_ptr[c7[0]];
  c9[0] = (subgroup6 * 32);
  c10[0] = (c9[0] + lane5);
  c11[0] = select((char)0, (char)1, (c10[0] < 257));
  c12[0] = (c7[0] + c9[0]);
  float condval;
  if (c11[0] != (char)0) {
    condval = p_x_ptr[(c12[0] + lane5)];
  } else {
    condval = 0.000000e+00f;
  }
  c13[0] = condval;
  own_stripe03[0] = c13[0];
  c14[0] = (c13[0] - c8[0]);
  c15[0] = (0.000000e+00f + c14[0]);
  c16[0] = select(0.000000e+00f, c15[0], (c11[0] != (char)0));
  c17[0] = simd_sum(c16[0]);
  if (lane5 == 0) {
    shared_partial01[subgroup6] = c17[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c18[0] = select((char)0, (char)1, (lane5 < 10));
  float condval_1;
  if (c18[0] != (char)0) {
    condval_1 = shared_partial01[lane5];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c19[0] = condval_1;
  c20[0] = simd_sum(c19[0]);
  c21[0] = (c20[0] / 2.570000e+02f);
  c22[0] = (-0.000000e+00f - c8[0]);
  c23[0] = own_stripe03[0];
  c24[0] = fma(c23[0], 1.000000e+00f, c22[0]);
  c25[0] = (c24[0] - c21[0]);
  own_stripe14[0] = c25[0];
  c26[0] = (c25[0] * c25[0]);
  c27[0] = (0.000000e+00f + c26[0]);
  c28[0] = select(0.000000e+00f, c27[0], (c11[0] != (char)0));
  c29[0] = simd_sum(c28[0]);
  if (lane5 == 0) {
    shared_partial12[subgroup6] = c29[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float condval_2;
  if (c18[0] != (char)0) {
    condval_2 = shared_partial12[lane5];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c30[0] = condval_2;
  c31[0] = simd_sum(c30[0]);
  c32[0] = n_eps_ptr[0];
  c33[0] = (c31[0] / 2.570000e+02f);
  c34[0] = (c33[0] + c32[0]);
  c35[0] = precise::sqrt(c34[0]);
  c36[0] = (1.000000e+00f / c35[0]);
  float condval_3;
  if (c11[0] != (char)0) {
    condval_3 = p_bias_ptr[(c9[0] + lane5)];
  } else {
    condval_3 = 0.000000e+00f;
  }
  c37[0] = condval_3;
  float condval_4;
  if (c11[0] != (char)0) {
    condval_4 = p_weight_ptr[(c9[0] + lane5)];
  } else {
    condval_4 = 0.000000e+00f;
  }
  c38[0] = condval_4;
  c39[0] = own_stripe14[0];
  c40[0] = (c39[0] * c36[0]);
  c41[0] = (c40[0] * c38[0]);
  c42[0] = (c41[0] + c37[0]);
  c43[0] = (((int)blockIdx) * 257);
  c44[0] = (c43[0] + c9[0]);
  if (c11[0] != (char)0) {
    p_y_ptr[(c44[0] + lane5)] = c42[0];
  }
}


