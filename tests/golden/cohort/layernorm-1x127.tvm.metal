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
  thread int c5[1];
  thread float c6[1];
  thread int c7[1];
  thread char c8[1];
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
  thread float c49[1];
  thread float c50[1];
  thread float c51[1];
  thread float c52[1];
  thread float c53[1];
  thread float c54[1];
  thread float c55[1];
  thread float c56[1];
  thread int c57[1];
  thread float2 c58[1];
  thread float c59[1];
  thread int c60[1];
  thread float2 c61[1];
  thread float c62[1];
  thread float c63[1];
  thread float c64[1];
  thread float c65[1];
  thread float c66[1];
  thread int c67[1];
  thread float c68[1];
  thread float c69[1];
  thread float c70[1];
  thread float c71[1];
  thread float c72[1];
  thread float c73[1];
  thread int c74[1];
  thread int c75[1];
  thread float c76[1];
  thread float c77[1];
  thread float c78[1];
  thread float c79[1];
  thread float c80[1];
  thread float c81[1];
  thread int c82[1];
  thread float c83[1];
  thread float c84[1];
  thread float c85[1];
  thread float c86[1];
  thread float c87[1];
  thread float c88[1];
  thread int c89[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  c5[0] = (((int)blockIdx) * 127);
  c6[0] = p_x_ptr[c5[0]];
  c7[0] = (lane3 * 4);
  c8[0] = select((char)0, (char)1, (c7[0] < 124));
  c9[0] = (c5[0] + (lane3 * 4));
  c10[0] = *(device float2*)(p_x_ptr + ((c9[0] >> 1) * 2));
  c11[0] = (c10[0])[0];
  own_stripe01[0] = c11[0];
  c12[0] = (c11[0] - c6[0]);
  c13[0] = (0.000000e+00f + c12[0]);
  c14[0] = (c5[0] + 1);
  c15[0] = (c10[0])[1];
  own_stripe01[1] = c15[0];
  c16[0] = (c15[0] - c6[0]);
  c17[0] = (c13[0] + c16[0]);
  c18[0] = (c5[0] + 2);
  c19[0] = p_x_ptr[(c18[0] + (lane3 * 4))];
  own_stripe01[2] = c19[0];
  c20[0] = (c19[0] - c6[0]);
  c21[0] = (c17[0] + c20[0]);
  c22[0] = (c5[0] + 3);
  float condval;
  if (c8[0] != (char)0) {
    condval = p_x_ptr[(c22[0] + (lane3 * 4))];
  } else {
    condval = 0.000000e+00f;
  }
  c23[0] = condval;
  own_stripe01[3] = c23[0];
  c24[0] = (c23[0] - c6[0]);
  c25[0] = (c21[0] + c24[0]);
  c26[0] = select(c21[0], c25[0], (c8[0] != (char)0));
  c27[0] = simd_sum(c26[0]);
  c28[0] = (c27[0] / 1.270000e+02f);
  c29[0] = (-0.000000e+00f - c6[0]);
  c30[0] = own_stripe01[0];
  c31[0] = fma(c30[0], 1.000000e+00f, c29[0]);
  c32[0] = (c31[0] - c28[0]);
  own_stripe12[0] = c32[0];
  c33[0] = (c32[0] * c32[0]);
  c34[0] = (0.000000e+00f + c33[0]);
  c35[0] = own_stripe01[1];
  c36[0] = fma(c35[0], 1.000000e+00f, c29[0]);
  c37[0] = (c36[0] - c28[0]);
  own_stripe12[1] = c37[0];
  c38[0] = (c37[0] * c37[0]);
  c39[0] = (c34[0] + c38[0]);
  c40[0] = own_stripe01[2];
  c41[0] = fma(c40[0], 1.000000e+00f, c29[0]);
  c42[0] = (c41[0] - c28[0]);
  own_stripe12[2] = c42[0];
  c43[0] = (c42[0] * c42[0]);
  c44[0] = (c39[0] + c43[0]);
  c45[0] = own_stripe01[3];
  c46[0] = fma(c45[0], 1.000000e+00f, c29[0]);
  c47[0] = (c46[0] - c28[0]);
  own_stripe12[3] = c47[0];
  c48[0] = (c47[0] * c47[0]);
  c49[0] = (c44[0] + c48[0]);
  c50[0] = select(c44[0], c49[0], (c8[0] != (char)0));
  c51[0] = simd_sum(c50[0]);
  c52[0] = n_eps_ptr[0];
  c53[0] = (c51[0] / 1.270000e+02f);
  c54[0] = (c53[0] + c52[0]);
  c55[0] = precise::sqrt(c54[0]);
  c56[0] = (1.000000e+00f / c55[0]);
  c57[0] = (0 + (lane3 * 4));
  c58[0] = *(device float2*)(p_bias_ptr + ((c57[0] >> 1) * 2));
  c59[0] = (c58[0])[0];
  c60[0] = (0 + (lane3 * 4));
  c61[0] = *(device float2*)(p_weight_ptr + ((c60[0] >> 1) * 2));
  c62[0] = (c61[0])[0];
  c63[0] = own_stripe12[0];
  c64[0] = (c63[0] * c56[0]);
  c65[0] = (c64[0] * c62[0]);
  c66[0] = (c65[0] + c59[0]);
  c67[0] = (((int)blockIdx) * 127);
  c68[0] = (c58[0])[1];
  c69[0] = (c61[0])[1];
  c70[0] = own_stripe12[1];
  c71[0] = (c70[0] * c56[0]);
  c72[0] = (c71[0] * c69[0]);
  c73[0] = (c72[0] + c68[0]);
  c74[0] = (c67[0] + 1);
  c75[0] = (c67[0] + (lane3 * 4));
  *(device float2*)(p_y_ptr + ((c75[0] >> 1) * 2)) = float2(c66[0], c73[0]);
  c76[0] = p_bias_ptr[(2 + (lane3 * 4))];
  c77[0] = p_weight_ptr[(2 + (lane3 * 4))];
  c78[0] = own_stripe12[2];
  c79[0] = (c78[0] * c56[0]);
  c80[0] = (c79[0] * c77[0]);
  c81[0] = (c80[0] + c76[0]);
  c82[0] = (c67[0] + 2);
  p_y_ptr[(c82[0] + (lane3 * 4))] = c81[0];
  float condval_1;
  if (c8[0] != (char)0) {
    condval_1 = p_bias_ptr[(3 + (lane3 * 4))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c83[0] = condval_1;
  float condval_2;
  if (c8[0] != (char)0) {
    condval_2 = p_weight_ptr[(3 + (lane3 * 4))];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c84[0] = condval_2;
  c85[0] = own_stripe12[3];
  c86[0] = (c85[0] * c56[0]);
  c87[0] = (c86[0] * c84[0]);
  c88[0] = (c87[0] + c83[0]);
  c89[0] = (c67[0] + 3);
  if (c8[0] != (char)0) {
    p_y_ptr[(c89[0] + (lane3 * 4))] = c88[0];
  }
}


