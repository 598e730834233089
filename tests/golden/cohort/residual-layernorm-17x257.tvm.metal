// Function: layer_norm_kernel_50db34b5ceca_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_50db34b5ceca_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_bias_ptr [[ buffer(1) ]],
  device float* p_residual_ptr [[ buffer(2) ]],
  device float* p_weight_ptr [[ buffer(3) ]],
  device float* p_x_ptr [[ buffer(4) ]],
  device float* p_y_ptr [[ buffer(5) ]],
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
  thread float c10[1];
  thread float c11[1];
  thread int c12[1];
  thread int c13[1];
  thread char c14[1];
  thread int c15[1];
  thread float c16[1];
  thread int c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread float c22[1];
  thread float c23[1];
  thread char c24[1];
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
  thread float c43[1];
  thread float c44[1];
  thread float c45[1];
  thread float c46[1];
  thread float c47[1];
  thread float c48[1];
  thread int c49[1];
  thread int c50[1];
  int lane5 = (((int)threadIdx) & 31);
  int subgroup6 = (((int)threadIdx) >> 5);
  c7[0] = (((int)blockIdx) * 257);
  c8[0] = p_residual_ptr[c7[0]];
  c9[0] = (((int)blockIdx) * 257);
  c10[0] = p_x_ptr[c9[0]];
  c11[0] = (c10[0] + c8[0]);
  c12[0] = (subgroup6 * 32);
  c13[0] = (c12[0] + lane5);
  c14[0] = select((char)0, (char)1, (c13[0] < 257));
  c15[0] = (c9[0] + c12[0]);
  float condval;
  if (c14[0] != (char)0) {
    condval = p_x_ptr[(c15[0] + lane5)];
  } else {
    condval = 0.000000e+00f;
  }
  c16[0] = condval;
  c17[0] = (c7[0] + c12[0]);
  float condval_1;
  if (c14[0] != (char)0) {
    condval_1 = p_residual_ptr[(c17[0] + lane5)];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c18[0] = condval_1;
  c19[0] = (c16[0] + c18[0]);
  own_stripe03[0] = c19[0];
  c20[0] = (c19[0] - c11[0]);
  c21[0] = (0.000000e+00f + c20[0]);
  c22[0] = select(0.000000e+00f, c21[0], (c14[0] != (char)0));
  c23[0] = simd_sum(c22[0]);
  if (lane5 == 0) {
    shared_partial01[subgroup6] = c23[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c24[0] = select((char)0, (char)1, (lane5 < 10));
  float condval_2;
  if (c24[0] != (char)0) {
    condval_2 = shared_partial01[lane5];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c25[0] = condval_2;
  c26[0] = simd_sum(c25[0]);
  c27[0] = (c26[0] / 2.570000e+02f);
  c28[0] = (-0.000000e+00f - c11[0]);
  c29[0] = own_stripe03[0];
  c30[0] = fma(c29[0], 1.000000e+00f, c28[0]);
  c31[0] = (c30[0] - c27[0]);
  own_stripe14[0] = c31[0];
  c32[0] = (c31[0] * c31[0]);
  c33[0] = (0.000000e+00f + c32[0]);
  c34[0] = select(0.000000e+00f, c33[0], (c14[0] != (char)0));
  c35[0] = simd_sum(c34[0]);
  if (lane5 == 0) {
    shared_partial12[subgroup6] = c35[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float condval_3;
  if (c24[0] != (char)0) {
    condval_3 = shared_partial12[lane5];
  } else {
    condval_3 = 0.000000e+00f;
  }
  c36[0] = condval_3;
  c37[0] = simd_sum(c36[0]);
  c38[0] = n_eps_ptr[0];
  c39[0] = (c37[0] / 2.570000e+02f);
  c40[0] = (c39[0] + c38[0]);
  c41[0] = precise::sqrt(c40[0]);
  c42[0] = (1.000000e+00f / c41[0]);
  float condval_4;
  if (c14[0] != (char)0) {
    condval_4 = p_bias_ptr[(c12[0] + lane5)];
  } else {
    condval_4 = 0.000000e+00f;
  }
  c43[0] = condval_4;
  float condval_5;
  if (c14[0] != (char)0) {
    condval_5 = p_weight_ptr[(c12[0] + lane5)];
  } else {
    condval_5 = 0.000000e+00f;
  }
  c44[0] = condval_5;
  c45[0] = own_stripe14[0];
  c46[0] = (c45[0] * c42[0]);
  c47[0] = (c46[0] * c44[0]);
  c48[0] = (c47[0] + c43[0]);
  c49[0] = (((int)blockIdx) * 257);
  c50[0] = (c49[0] + c12[0]);
  if (c14[0] != (char)0) {
    p_y_ptr[(c50[0] + lane5)] = c48[0];
  }
}


