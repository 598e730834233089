// Function: layer_norm_kernel_17f00bf25328_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_17f00bf25328_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
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
  thread int c5[1];
  thread float c6[1];
  thread int c7[1];
  thread float c8[1];
  thread float c9[1];
  thread int c10[1];
  thread char c11[1];
  thread int c12[1];
  thread float2 c13[1];
  thread float c14[1];
  thread int c15[1];
  thread float2 c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread int c21[1];
  thread float c22[1];
  thread int c23[1];
  thread float c24[1];
  thread float c25[1];
  thread float c26[1];
  thread float c27[1];
  thread int c28[1];
  thread float c29[1];
  thread int c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread float c34[1];
  thread int c35[1];
  thread float c36[1];
  thread int c37[1];
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
  thread float c57[1];
  thread float c58[1];
  thread float c59[1];
  thread float c60[1];
  thread float c61[1];
  thread float c62[1];
  thread float c63[1];
  thread float c64[1];
  thread float c65[1];
  thread float c66[1];
  thread float c67[1];
  thread float c68[1];
  thread float c69[1];
  thread float c70[1];
  thread float c71[1];
  thread float c72[1];
  thread int c73[1];
  thread float2 c74[1];
  thread float c75[1];
  thread int c76[1];
  thread float2 c77[1];
  thread float c78[1];
  thread float c79[1];
  thread float c80[1];
  thread float c81[1];
  thread float c82[1];
  thread int c83[1];
  thread float c84[1];
  thread float c85[1];
  thread float c86[1];
  thread float c87[1];
  thread float c88[1];
  thread float c89[1];
  thread int c90[1];
  thread int c91[1];
  thread float c92[1];
  thread float c93[1];
  thread float c94[1];
  thread float c95[1];
  thread float c96[1];
  thread float c97[1];
  thread int c98[1];
  thread float c99[1];
  thread float c100[1];
  thread float c101[1];
  thread float c102[1];
  thread float c103[1];
  thread float c104[1];
  thread int c105[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  c5[0] = (((int)blockIdx) * 127);
  c6[0] = p_residual_ptr[c5[0]];
  c7[0] = (((int)blockIdx) * 127);
  c8[0] = p_x_ptr[c7[0]];
  c9[0] = (c8[0] + c6[0]);
  c10[0] = (lane3 * 4);
  c11[0] = select((char)0, (char)1, (c10[0] < 124));
  c12[0] = (c7[0] + (lane3 * 4));
  c13[0] = *(device float2*)(p_x_ptr + ((c12[0] >> 1) * 2));
  c14[0] = (c13[0])[0];
  c15[0] = (c5[0] + (lane3 * 4));
  c16[0] = *(device float2*)(p_residual_ptr + ((c15[0] >> 1) * 2));
  c17[0] = (c16[0])[0];
  c18[0] = (c14[0] + c17[0]);
  own_stripe01[0] = c18[0];
  c19[0] = (c18[0] - c9[0]);
  c20[0] = (0.000000e+00f + c19[0]);
  c21[0] = (c7[0] + 1);
  c22[0] = (c13[0])[1];
  c23[0] = (c5[0] + 1);
  c24[0] = (c16[0])[1];
  c25[0] = (c22[0] + c24[0]);
  own_stripe01[1] = c25[0];
  c26[0] = (c25[0] - c9[0]);
  c27[0] = (c20[0] + c26[0]);
  c28[0] = (c7[0] + 2);
  c29[0] = p_x_ptr[(c28[0] + (lane3 * 4))];
  c30[0] = (c5[0] + 2);
  c31[0] = p_residual_ptr[(c30[0] + (lane3 * 4))];
  c32[0] = (c29[0] + c31[0]);
  own_stripe01[2] = c32[0];
  c33[0] = (c32[0] - c9[0]);
  c34[0] = (c27[0] + c33[0]);
  c35[0] = (c7[0] + 3);
  float condval;
  if (c11[0] != (char)0) {
    condval = p_x_ptr[(c35[0] + (lane3 * 4))];
  } else {
    condval = 0.000000e+00f;
  }
  c36[0] = condval;
  c37[0] = (c5[0] + 3);
  float condval_1;
  if (c11[0] != (char)0) {
    condval_1 = p_residual_ptr[(c37[0] + (lane3 * 4))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c38[0] = condval_1;
  c39[0] = (c36[0] + c38[0]);
  own_stripe01[3] = c39[0];
  c40[0] = (c39[0] - c9[0]);
  c41[0] = (c34[0] + c40[0]);
  c42[0] = select(c34[0], c41[0], (c11[0] != (char)0));
  c43[0] = simd_sum(c42[0]);
  c44[0] = (c43[0] / 1.270000e+02f);
  c45[0] = (-0.000000e+00f - c9[0]);
  c46[0] = own_stripe01[0];
  c47[0] = fma(c46[0], 1.000000e+00f, c45[0]);
  c48[0] = (c47[0] - c44[0]);
  own_stripe12[0] = c48[0];
  c49[0] = (c48[0] * c48[0]);
  c50[0] = (0.000000e+00f + c49[0]);
  c51[0] = own_stripe01[1];
  c52[0] = fma(c51[0], 1.000000e+00f, c45[0]);
  c53[0] = (c52[0] - c44[0]);
  own_stripe12[1] = c53[0];
  c54[0] = (c53[0] * c53[0]);
  c55[0] = (c50[0] + c54[0]);
  c56[0] = own_stripe01[2];
  c57[0] = fma(c56[0], 1.000000e+00f, c45[0]);
  c58[0] = (c57[0] - c44[0]);
  own_stripe12[2] = c58[0];
  c59[0] = (c58[0] * c58[0]);
  c60[0] = (c55[0] + c59[0]);
  c61[0] = own_stripe01[3];
  c62[0] = fma(c61[0], 1.000000e+00f, c45[0]);
  c63[0] = (c62[0] - c44[0]);
  own_stripe12[3] = c63[0];
  c64[0] = (c63[0] * c63[0]);
  c65[0] = (c60[0] + c64[0]);
  c66[0] = select(c60[0], c65[0], (c11[0] != (char)0));
  c67[0] = simd_sum(c66[0]);
  c68[0] = n_eps_ptr[0];
  c69[0] = (c67[0] / 1.270000e+02f);
  c70[0] = (c69[0] + c68[0]);
  c71[0] = precise::sqrt(c70[0]);
  c72[0] = (1.000000e+00f / c71[0]);
  c73[0] = (0 + (lane3 * 4));
  c74[0] = *(device float2*)(p_bias_ptr + ((c73[0] >> 1) * 2));
  c75[0] = (c74[0])[0];
  c76[0] = (0 + (lane3 * 4));
  c77[0] = *(device float2*)(p_weight_ptr + ((c76[0] >> 1) * 2));
  c78[0] = (c77[0])[0];
  c79[0] = own_stripe12[0];
  c80[0] = (c79[0] * c72[0]);
  c81[0] = (c80[0] * c78[0]);
  c82[0] = (c81[0] + c75[0]);
  c83[0] = (((int)blockIdx) * 127);
  c84[0] = (c74[0])[1];
  c85[0] = (c77[0])[1];
  c86[0] = own_stripe12[1];
  c87[0] = (c86[0] * c72[0]);
  c88[0] = (c87[0] * c85[0]);
  c89[0] = (c88[0] + c84[0]);
  c90[0] = (c83[0] + 1);
  c91[0] = (c83[0] + (lane3 * 4));
  *(device float2*)(p_y_ptr + ((c91[0] >> 1) * 2)) = float2(c82[0], c89[0]);
  c92[0] = p_bias_ptr[(2 + (lane3 * 4))];
  c93[0] = p_weight_ptr[(2 + (lane3 * 4))];
  c94[0] = own_stripe12[2];
  c95[0] = (c94[0] * c72[0]);
  c96[0] = (c95[0] * c93[0]);
  c97[0] = (c96[0] + c92[0]);
  c98[0] = (c83[0] + 2);
  p_y_ptr[(c98[0] + (lane3 * 4))] = c97[0];
  float condval_2;
  if (c11[0] != (char)0) {
    condval_2 = p_bias_ptr[(3 + (lane3 * 4))];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c99[0] = condval_2;
  float condval_3;
  if (c11[0] != (char)0) {
    condval_3 = p_weight_ptr[(3 + (lane3 * 4))];
  } else {
    condval_3 = 0.000000e+00f;
  }
  c100[0] = condval_3;
  c101[0] = own_stripe12[3];
  c102[0] = (c101[0] * c72[0]);
  c103[0] = (c102[0] * c100[0]);
  c104[0] = (c103[0] + c99[0]);
  c105[0] = (c83[0] + 3);
  if (c11[0] != (char)0) {
    p_y_ptr[(c105[0] + (lane3 * 4))] = c104[0];
  }
}


