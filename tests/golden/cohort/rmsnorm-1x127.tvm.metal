// Function: rms_norm_kernel_c56920be72e0_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void rms_norm_kernel_c56920be72e0_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_weight_ptr [[ buffer(1) ]],
  device float* p_x_ptr [[ buffer(2) ]],
  device float* p_y_ptr [[ buffer(3) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread float own_stripe01[4];
  thread long c5[1];
  thread float c6[1];
  thread long c8[1];
  thread long c9[1];
  thread long c10[1];
  thread float c11[1];
  thread float c12[1];
  thread float c13[1];
  thread long c14[1];
  thread char c15[1];
  thread long c16[1];
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
  thread long c27[1];
  thread long c29[1];
  thread long c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread float c34[1];
  thread long c35[1];
  thread float c36[1];
  thread float c37[1];
  thread float c38[1];
  thread float c39[1];
  thread long c40[1];
  int lane2 = (((int)threadIdx) & 31);
  int subgroup3 = (((int)threadIdx) >> 5);
  long group4 = ((long)((int)blockIdx));
  c5[0] = (group4 * (long)127);
  c6[0] = 0.000000e+00f;
  for (long i7 = (long)0; i7 < (long)3; ++i7) {
    c8[0] = ((long)0 + i7);
    c9[0] = (c8[0] * (long)32);
    c10[0] = (c5[0] + c9[0]);
    c11[0] = p_x_ptr[(c10[0] + ((long)lane2))];
    own_stripe01[c8[0]] = c11[0];
    c12[0] = (c11[0] * c11[0]);
    c13[0] = (c6[0] + c12[0]);
    c6[0] = c13[0];
  }
  c14[0] = ((long)lane2);
  c15[0] = select((char)0, (char)1, (c14[0] < (long)31));
  c16[0] = (c5[0] + (long)96);
  float condval;
  if (c15[0] != (char)0) {
    condval = p_x_ptr[(c16[0] + ((long)lane2))];
  } else {
    condval = 0.000000e+00f;
  }
  c17[0] = condval;
  own_stripe01[(long)3] = c17[0];
  c18[0] = (c17[0] * c17[0]);
  c19[0] = (c6[0] + c18[0]);
  c20[0] = select(c6[0], c19[0], (c15[0] != (char)0));
  c21[0] = simd_sum(c20[0]);
  c22[0] = n_eps_ptr[0];
  c23[0] = (c21[0] / 1.270000e+02f);
  c24[0] = (c23[0] + c22[0]);
  c25[0] = precise::sqrt(c24[0]);
  c26[0] = (1.000000e+00f / c25[0]);
  c27[0] = (group4 * (long)127);
  for (long i28 = (long)0; i28 < (long)3; ++i28) {
    c29[0] = ((long)0 + i28);
    c30[0] = (c29[0] * (long)32);
    c31[0] = p_weight_ptr[(c30[0] + ((long)lane2))];
    c32[0] = own_stripe01[c29[0]];
    c33[0] = (c32[0] * c26[0]);
    c34[0] = (c33[0] * c31[0]);
    c35[0] = (c27[0] + c30[0]);
    p_y_ptr[(c35[0] + ((long)lane2))] = c34[0];
  }
  float condval_1;
  if (c15[0] != (char)0) {
    condval_1 = p_weight_ptr[((long)96 + ((long)lane2))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c36[0] = condval_1;
  c37[0] = own_stripe01[(long)3];
  c38[0] = (c37[0] * c26[0]);
  c39[0] = (c38[0] * c36[0]);
  c40[0] = (c27[0] + (long)96);
  if (c15[0] != (char)0) {
    p_y_ptr[(c40[0] + ((long)lane2))] = c39[0];
  }
}


