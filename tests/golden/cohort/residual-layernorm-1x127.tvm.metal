// Function: layer_norm_kernel_d2f2a86fc986_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_d2f2a86fc986_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_bias_ptr [[ buffer(1) ]],
  device float* p_residual_ptr [[ buffer(2) ]],
  device float* p_weight_ptr [[ buffer(3) ]],
  device float* p_x_ptr [[ buffer(4) ]],
  device float* p_y_ptr [[ buffer(5) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread float own_stripe01[4];
  thread float own_stripe12[4];
  thread long c6[1];
  thread float c7[1];
  thread long c8[1];
  thread float c9[1];
  thread long c11[1];
  thread long c12[1];
  thread long c13[1];
  thread float c14[1];
  thread long c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread long c20[1];
  thread char c21[1];
  thread long c22[1];
  thread float c23[1];
  thread long c24[1];
  thread float c25[1];
  thread float c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread long c35[1];
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
  thread float c49[1];
  thread float c50[1];
  thread float c51[1];
  thread float c52[1];
  thread long c53[1];
  thread long c55[1];
  thread long c56[1];
  thread float c57[1];
  thread float c58[1];
  thread float c59[1];
  thread float c60[1];
  thread float c61[1];
  thread float c62[1];
  thread long c63[1];
  thread float c64[1];
  thread float c65[1];
  thread float c66[1];
  thread float c67[1];
  thread float c68[1];
  thread float c69[1];
  thread long c70[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  long group5 = ((long)((int)blockIdx));
  c6[0] = (group5 * (long)127);
  c7[0] = p_x_ptr[c6[0]];
  c8[0] = (group5 * (long)127);
  c9[0] = 0.000000e+00f;
  for (long i10 = (long)0; i10 < (long)3; ++i10) {
    c11[0] = ((long)0 + i10);
    c12[0] = (c11[0] * (long)32);
    c13[0] = (c6[0] + c12[0]);
    c14[0] = p_x_ptr[(c13[0] + ((long)lane3))];
    c15[0] = (c8[0] + c12[0]);
    c16[0] = p_residual_ptr[(c15[0] + ((long)lane3))];
    c17[0] = (c14[0] + c16[0]);
    own_stripe01[c11[0]] = c17[0];
    c18[0] = (c17[0] - c7[0]);
    c19[0] = (c9[0] + c18[0]);
    c9[0] = c19[0];
  }
  c20[0] = ((long)lane3);
  c21[0] = select((char)0, (char)1, (c20[0] < (long)31));
  c22[0] = (c6[0] + (long)96);
  float condval;
  if (c21[0] != (char)0) {
    condval = p_x_ptr[(c22[0] + ((long)lane3))];
  } else {
    condval = 0.000000e+00f;
  }
  c23[0] = condval;
  c24[0] = (c8[0] + (long)96);
  float condval_1;
  if (c21[0] != (char)0) {
    condval_1 = p_residual_ptr[(c24[0] + ((long)lane3))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c25[0] = condval_1;
  c26[0] = (c23[0] + c25[0]);
  own_stripe01[(long)3] = c26[0];
  c27[0] = (c26[0] - c7[0]);
  c28[0] = (c9[0] + c27[0]);
  c29[0] = select(c9[0], c28[0], (c21[0] != (char)0));
  c30[0] = simd_sum(c29[0]);
  c31[0] = (c30[0] / 1.270000e+02f);
  c32[0] = (-0.000000e+00f - c7[0]);
  c33[0] = 0.000000e+00f;
  for (long i34 = (long)0; i34 < (long)3; ++i34) {
    c35[0] = ((long)0 + i34);
    c36[0] = own_stripe01[c35[0]];
    c37[0] = fma(c36[0], 1.000000e+00f, c32[0]);
    c38[0] = (c37[0] - c31[0]);
    own_stripe12[c35[0]] = c38[0];
    c39[0] = (c38[0] * c38[0]);
    c40[0] = (c33[0] + c39[0]);
    c33[0] = c40[0];
  }
  c41[0] = own_stripe01[(long)3];
  c42[0] = fma(c41[0], 1.000000e+00f, c32[0]);
  c43[0] = (c42[0] - c31[0]);
  own_stripe12[(long)3] = c43[0];
  c44[0] = (c43[0] * c43[0]);
  c45[0] = (c33[0] + c44[0]);
  c46[0] = select(c33[0], c45[0], (c21[0] != (char)0));
  c47[0] = simd_sum(c46[0]);
  c48[0] = n_eps_ptr[0];
  c49[0] = (c47[0] / 1.270000e+02f);
  c50[0] = (c49[0] + c48[0]);
  c51[0] = precise::sqrt(c50[0]);
  c52[0] = (1.000000e+00f / c51[0]);
  c53[0] = (group5 * (long)127);
  for (long i54 = (long)0; i54 < (long)3; ++i54) {
    c55[0] = ((long)0 + i54);
    c56[0] = (c55[0] * (long)32);
    c57[0] = p_bias_ptr[(c56[0] + ((long)lane3))];
    c58[0] = p_weight_ptr[(c56[0] + ((long)lane3))];
    c59[0] = own_stripe12[c55[0]];
    c60[0] = (c59[0] * c52[0]);
    c61[0] = (c60[0] * c58[0]);
    c62[0] = (c61[0] + c57[0]);
    c63[0] = (c53[0] + c56[0]);
    p_y_ptr[(c63[0] + ((long)lane3))] = c62[0];
  }
  float condval_2;
  if (c21[0] != (char)0) {
    condval_2 = p_bias_ptr[((long)96 + ((long)lane3))];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c64[0] = condval_2;
  float condval_3;
  if (c21[0] != (char)0) {
    condval_3 = p_weight_ptr[((long)96 + ((long)lane3))];
  } else {
    condval_3 = 0.000000e+00f;
  }
  c65[0] = condval_3;
  c66[0] = own_stripe12[(long)3];
  c67[0] = (c66[0] * c52[0]);
  c68[0] = (c67[0] * c65[0]);
  c69[0] = (c68[0] + c64[0]);
  c70[0] = (c53[0] + (long)96);
  if (c21[0] != (char)0) {
    p_y_ptr[(c70[0] + ((long)lane3))] = c69[0];
  }
}


