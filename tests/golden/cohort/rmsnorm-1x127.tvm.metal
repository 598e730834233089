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
  thread int c5[1];
  thread int c6[1];
  thread char c7[1];
  thread int c8[1];
  thread int c9[1];
  thread float2 c10[1];
  thread float c11[1];
  thread float c12[1];
  thread float c13[1];
  thread int c14[1];
  thread float c15[1];
  thread float c16[1];
  thread float c17[1];
  thread int c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread int c22[1];
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
  thread int c33[1];
  thread float2 c34[1];
  thread float c35[1];
  thread float c36[1];
  thread float c37[1];
  thread float c38[1];
  thread int c39[1];
  thread float c40[1];
  thread float c41[1];
  thread float c42[1];
  thread float c43[1];
  thread int c44[1];
  thread int c45[1];
  thread float c46[1];
  thread float c47[1];
  thread float c48[1];
  thread float c49[1];
  thread int c50[1];
  thread float c51[1];
  thread float c52[1];
  thread float c53[1];
  thread float c54[1];
  thread int c55[1];
  int lane2 = (((int)threadIdx) & 31);
  int subgroup3 = (((int)threadIdx) >> 5);
  long group4 = ((long)((int)blockIdx));
  c5[0] = ((int)group4);
  c6[0] = (lane2 * 4);
  c7[0] = select((char)0, (char)1, (c6[0] < 124));
  c8[0] = (c5[0] * 127);
  c9[0] = (c8[0] + (lane2 * 4));
  c10[0] = *(device float2*)(p_x_ptr + ((c9[0] >> 1) * 2));
  c11[0] = (c10[0])[0];
  own_stripe01[0] = c11[0];
  c12[0] = (c11[0] * c11[0]);
  c13[0] = (0.000000e+00f + c12[0]);
  c14[0] = (c8[0] + 1);
  c15[0] = (c10[0])[1];
  own_stripe01[1] = c15[0];
  c16[0] = (c15[0] * c15[0]);
  c17[0] = (c13[0] + c16[0]);
  c18[0] = (c8[0] + 2);
  c19[0] = p_x_ptr[(c18[0] + (lane2 * 4))];
  own_stripe01[2] = c19[0];
  c20[0] = (c19[0] * c19[0]);
  c21[0] = (c17[0] + c20[0]);
  c22[0] = (c8[0] + 3);
  float condval;
  if (c7[0] != (char)0) {
    condval = p_x_ptr[(c22[0] + (lane2 * 4))];
  } else {
    condval = 0.000000e+00f;
  }
  c23[0] = condval;
  own_stripe01[3] = c23[0];
  c24[0] = (c23[0] * c23[0]);
  c25[0] = (c21[0] + c24[0]);
  c26[0] = select(c21[0], c25[0], (c7[0] != (char)0));
  c27[0] = simd_sum(c26[0]);
  c28[0] = n_eps_ptr[0];
  c29[0] = (c27[0] / 1.270000e+02f);
  c30[0] = (c29[0] + c28[0]);
  c31[0] = precise::sqrt(c30[0]);
  c32[0] = (1.000000e+00f / c31[0]);
  c33[0] = (0 + (lane2 * 4));
  c34[0] = *(device float2*)(p_weight_ptr + ((c33[0] >> 1) * 2));
  c35[0] = (c34[0])[0];
  c36[0] = own_stripe01[0];
  c37[0] = (c36[0] * c32[0]);
  c38[0] = (c37[0] * c35[0]);
  c39[0] = (c5[0] * 127);
  c40[0] = (c34[0])[1];
  c41[0] = own_stripe01[1];
  c42[0] = (c41[0] * c32[0]);
  c43[0] = (c42[0] * c40[0]);
  c44[0] = (c39[0] + 1);
  c45[0] = (c39[0] + (lane2 * 4));
  *(device float2*)(p_y_ptr + ((c45[0] >> 1) * 2)) = float2(c38[0], c43[0]);
  c46[0] = p_weight_ptr[(2 + (lane2 * 4))];
  c47[0] = own_stripe01[2];
  c48[0] = (c47[0] * c32[0]);
  c49[0] = (c48[0] * c46[0]);
  c50[0] = (c39[0] + 2);
  p_y_ptr[(c50[0] + (lane2 * 4))] = c49[0];
  float condval_1;
  if (c7[0] != (char)0) {
    condval_1 = p_weight_ptr[(3 + (lane2 * 4))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c51[0] = condval_1;
  c52[0] = own_stripe01[3];
  c53[0] = (c52[0] * c32[0]);
  c54[0] = (c53[0] * c51[0]);
  c55[0] = (c39[0] + 3);
  if (c7[0] != (char)0) {
    p_y_ptr[(c55[0] + (lane2 * 4))] = c54[0];
  }
}


