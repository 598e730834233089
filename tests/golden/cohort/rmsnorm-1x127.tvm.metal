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
  thread int c4[1];
  thread char c5[1];
  thread int c6[1];
  thread int c7[1];
  thread float2 c8[1];
  thread float c9[1];
  thread float c10[1];
  thread float c11[1];
  thread int c12[1];
  thread float c13[1];
  thread float c14[1];
  thread float c15[1];
  thread int c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread int c20[1];
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
  thread int c31[1];
  thread float2 c32[1];
  thread float c33[1];
  thread float c34[1];
  thread float c35[1];
  thread float c36[1];
  thread int c37[1];
  thread float c38[1];
  thread float c39[1];
  thread float c40[1];
  thread float c41[1];
  thread int c42[1];
  thread int c43[1];
  thread float c44[1];
  thread float c45[1];
  thread float c46[1];
  thread float c47[1];
  thread int c48[1];
  thread float c49[1];
  thread float c50[1];
  thread float c51[1];
  thread float c52[1];
  thread int c53[1];
  int lane2 = (((int)threadIdx) & 31);
  int subgroup3 = (((int)threadIdx) >> 5);
  c4[0] = (lane2 * 4);
  c5[0] = select((char)0, (char)1, (c4[0] < 124));
  c6[0] = (((int)blockIdx) * 127);
  c7[0] = (c6[0] + (lane2 * 4));
  c8[0] = *(device float2*)(p_x_ptr + ((c7[0] >> 1) * 2));
  c9[0] = (c8[0])[0];
  own_stripe01[0] = c9[0];
  c10[0] = (c9[0] * c9[0]);
  c11[0] = (0.000000e+00f + c10[0]);
  c12[0] = (c6[0] + 1);
  c13[0] = (c8[0])[1];
  own_stripe01[1] = c13[0];
  c14[0] = (c13[0] * c13[0]);
  c15[0] = (c11[0] + c14[0]);
  c16[0] = (c6[0] + 2);
  c17[0] = p_x_ptr[(c16[0] + (lane2 * 4))];
  own_stripe01[2] = c17[0];
  c18[0] = (c17[0] * c17[0]);
  c19[0] = (c15[0] + c18[0]);
  c20[0] = (c6[0] + 3);
  float condval;
  if (c5[0] != (char)0) {
    condval = p_x_ptr[(c20[0] + (lane2 * 4))];
  } else {
    condval = 0.000000e+00f;
  }
  c21[0] = condval;
  own_stripe01[3] = c21[0];
  c22[0] = (c21[0] * c21[0]);
  c23[0] = (c19[0] + c22[0]);
  c24[0] = select(c19[0], c23[0], (c5[0] != (char)0));
  c25[0] = simd_sum(c24[0]);
  c26[0] = n_eps_ptr[0];
  c27[0] = (c25[0] / 1.270000e+02f);
  c28[0] = (c27[0] + c26[0]);
  c29[0] = precise::sqrt(c28[0]);
  c30[0] = (1.000000e+00f / c29[0]);
  c31[0] = (0 + (lane2 * 4));
  c32[0] = *(device float2*)(p_weight_ptr + ((c31[0] >> 1) * 2));
  c33[0] = (c32[0])[0];
  c34[0] = own_stripe01[0];
  c35[0] = (c34[0] * c30[0]);
  c36[0] = (c35[0] * c33[0]);
  c37[0] = (((int)blockIdx) * 127);
  c38[0] = (c32[0])[1];
  c39[0] = own_stripe01[1];
  c40[0] = (c39[0] * c30[0]);
  c41[0] = (c40[0] * c38[0]);
  c42[0] = (c37[0] + 1);
  c43[0] = (c37[0] + (lane2 * 4));
  *(device float2*)(p_y_ptr + ((c43[0] >> 1) * 2)) = float2(c36[0], c41[0]);
  c44[0] = p_weight_ptr[(2 + (lane2 * 4))];
  c45[0] = own_stripe01[2];
  c46[0] = (c45[0] * c30[0]);
  c47[0] = (c46[0] * c44[0]);
  c48[0] = (c37[0] + 2);
  p_y_ptr[(c48[0] + (lane2 * 4))] = c47[0];
  float condval_1;
  if (c5[0] != (char)0) {
    condval_1 = p_weight_ptr[(3 + (lane2 * 4))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c49[0] = condval_1;
  c50[0] = own_stripe01[3];
  c51[0] = (c50[0] * c30[0]);
  c52[0] = (c51[0] * c49[0]);
  c53[0] = (c37[0] + 3);
  if (c5[0] != (char)0) {
    p_y_ptr[(c53[0] + (lane2 * 4))] = c52[0];
  }
}


