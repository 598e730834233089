// Function: layer_norm_kernel_64d6963907b4_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_64d6963907b4_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_bias_ptr [[ buffer(1) ]],
  device float* p_weight_ptr [[ buffer(2) ]],
  device float* p_x_ptr [[ buffer(3) ]],
  device float* p_y_ptr [[ buffer(4) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread float own_stripe01[4];
  thread float own_stripe12[4];
  thread long c6[1];
  thread float c7[1];
  thread float c8[1];
  thread long c10[1];
  thread long c11[1];
  thread long c12[1];
  thread float c13[1];
  thread float c14[1];
  thread float c15[1];
  thread long c16[1];
  thread char c17[1];
  thread long c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread float c22[1];
  thread float c23[1];
  thread float c24[1];
  thread float c25[1];
  thread float c26[1];
  thread long c28[1];
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
  thread long c46[1];
  thread long c48[1];
  thread long c49[1];
  thread float c50[1];
  thread float c51[1];
  thread float c52[1];
  thread float c53[1];
  thread float c54[1];
  thread float c55[1];
  thread long c56[1];
  thread float c57[1];
  thread float c58[1];
  thread float c59[1];
  thread float c60[1];
  thread float c61[1];
  thread float c62[1];
  thread long c63[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  long group5 = ((long)((int)blockIdx));
  c6[0] = (group5 * (long)127);
  c7[0] = p_x_ptr[c6[0]];
  c8[0] = 0.000000e+00f;
  for (long i9 = (long)0; i9 < (long)3; ++i9) {
    c10[0] = ((long)0 + i9);
    c11[0] = (c10[0] * (long)32);
    c12[0] = (c6[0] + c11[0]);
    c13[0] = p_x_ptr[(c12[0] + ((long)lane3))];
    own_stripe01[c10[0]] = c13[0];
    c14[0] = (c13[0] - c7[0]);
    c15[0] = (c8[0] + c14[0]);
    c8[0] = c15[0];
  }
  c16[0] = ((long)lane3);
  c17[0] = select((char)0, (char)1, (c16[0] < (long)31));
  c18[0] = (c6[0] + (long)96);
  float condval;
  if (c17[0] != (char)0) {
    condval = p_x_ptr[(c18[0] + ((long)lane3))];
  } else {
    condval = 0.000000e+00f;
  }
  c19[0] = condval;
  own_stripe01[(long)3] = c19[0];
  c20[0] = (c19[0] - c7[0]);
  c21[0] = (c8[0] + c20[0]);
  c22[0] = select(c8[0], c21[0], (c17[0] != (char)0));
  c23[0] = simd_sum(c22[0]);
  c24[0] = (c23[0] / 1.270000e+02f);
  c25[0] = (-0.000000e+00f - c7[0]);
  c26[0] = 0.000000e+00f;
  for (long i27 = (long)0; i27 < (long)3; ++i27) {
    c28[0] = ((long)0 + i27);
    c29[0] = own_stripe01[c28[0]];
    c30[0] = fma(c29[0], 1.000000e+00f, c25[0]);
    c31[0] = (c30[0] - c24[0]);
    own_stripe12[c28[0]] = c31[0];
    c32[0] = (c31[0] * c31[0]);
    c33[0] = (c26[0] + c32[0]);
    c26[0] = c33[0];
  }
  c34[0] = own_stripe01[(long)3];
  c35[0] = fma(c34[0], 1.000000e+00f, c25[0]);
  c36[0] = (c35[0] - c24[0]);
  own_stripe12[(long)3] = c36[0];
  c37[0] = (c36[0] * c36[0]);
  c38[0] = (c26[0] + c37[0]);
  c39[0] = select(c26[0], c38[0], (c17[0] != (char)0));
  c40[0] = simd_sum(c39[0]);
  c41[0] = n_eps_ptr[0];
  c42[0] = (c40[0] / 1.270000e+02f);
  c43[0] = (c42[0] + c41[0]);
  c44[0] = precise::sqrt(c43[0]);
  c45[0] = (1.000000e+00f / c44[0]);
  c46[0] = (group5 * (long)127);
  for (long i47 = (long)0; i47 < (long)3; ++i47) {
    c48[0] = ((long)0 + i47);
    c49[0] = (c48[0] * (long)32);
    c50[0] = p_bias_ptr[(c49[0] + ((long)lane3))];
    c51[0] = p_weight_ptr[(c49[0] + ((long)lane3))];
    c52[0] = own_stripe12[c48[0]];
    c53[0] = (c52[0] * c45[0]);
    c54[0] = (c53[0] * c51[0]);
    c55[0] = (c54[0] + c50[0]);
    c56[0] = (c46[0] + c49[0]);
    p_y_ptr[(c56[0] + ((long)lane3))] = c55[0];
  }
  float condval_1;
  if (c17[0] != (char)0) {
    condval_1 = p_bias_ptr[((long)96 + ((long)lane3))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c57[0] = condval_1;
  float condval_2;
  if (c17[0] != (char)0) {
    condval_2 = p_weight_ptr[((long)96 + ((long)lane3))];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c58[0] = condval_2;
  c59[0] = own_stripe12[(long)3];
  c60[0] = (c59[0] * c45[0]);
  c61[0] = (c60[0] * c58[0]);
  c62[0] = (c61[0] + c57[0]);
  c63[0] = (c46[0] + (long)96);
  if (c17[0] != (char)0) {
    p_y_ptr[(c63[0] + ((long)lane3))] = c62[0];
  }
}


