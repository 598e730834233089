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
  thread float own_stripe01[9];
  thread float own_stripe12[9];
  thread int c6[1];
  thread int c7[1];
  thread float c8[1];
  thread float c9[1];
  thread int c11[1];
  thread int c12[1];
  thread int c13[1];
  thread int c14[1];
  thread int c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread int c19[1];
  thread float c20[1];
  thread float c21[1];
  thread float c22[1];
  thread int c23[1];
  thread char c24[1];
  thread int c25[1];
  thread float c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread int c35[1];
  thread int c36[1];
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
  thread int c60[1];
  thread int c62[1];
  thread int c63[1];
  thread int c64[1];
  thread int c65[1];
  thread int c66[1];
  thread int c67[1];
  thread float2 c68[1];
  thread float c69[1];
  thread int c70[1];
  thread float2 c71[1];
  thread float c72[1];
  thread float c73[1];
  thread float c74[1];
  thread float c75[1];
  thread float c76[1];
  thread int c77[1];
  thread float c78[1];
  thread float c79[1];
  thread float c80[1];
  thread float c81[1];
  thread float c82[1];
  thread float c83[1];
  thread int c84[1];
  thread float c85[1];
  thread float c86[1];
  thread float c87[1];
  thread float c88[1];
  thread float c89[1];
  thread float c90[1];
  thread int c91[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  long group5 = ((long)((int)blockIdx));
  c6[0] = ((int)group5);
  c7[0] = (c6[0] * 257);
  c8[0] = p_x_ptr[c7[0]];
  c9[0] = 0.000000e+00f;
  for (int i10 = 0; i10 < 4; ++i10) {
    c11[0] = (0 + i10);
    c12[0] = (c11[0] * 64);
    c13[0] = (c11[0] * 2);
    c14[0] = (c13[0] + 1);
    c15[0] = (c7[0] + c12[0]);
    c16[0] = p_x_ptr[(c15[0] + (lane3 * 2))];
    own_stripe01[c13[0]] = c16[0];
    c17[0] = (c16[0] - c8[0]);
    c18[0] = (c9[0] + c17[0]);
    c19[0] = (c15[0] + 1);
    c20[0] = p_x_ptr[(c19[0] + (lane3 * 2))];
    own_stripe01[c14[0]] = c20[0];
    c21[0] = (c20[0] - c8[0]);
    c22[0] = (c18[0] + c21[0]);
    c9[0] = c22[0];
  }
  c23[0] = (lane3 * 2);
  c24[0] = select((char)0, (char)1, (c23[0] < 2));
  c25[0] = (c7[0] + 256);
  float condval;
  if (c24[0] != (char)0) {
    condval = p_x_ptr[(c25[0] + (lane3 * 2))];
  } else {
    condval = 0.000000e+00f;
  }
  c26[0] = condval;
  own_stripe01[8] = c26[0];
  c27[0] = (c26[0] - c8[0]);
  c28[0] = (c9[0] + c27[0]);
  c29[0] = select(c9[0], c28[0], (c24[0] != (char)0));
  c30[0] = simd_sum(c29[0]);
  c31[0] = (c30[0] / 2.570000e+02f);
  c32[0] = (-0.000000e+00f - c8[0]);
  c33[0] = 0.000000e+00f;
  for (int i34 = 0; i34 < 4; ++i34) {
    c35[0] = (0 + i34);
    c36[0] = (c35[0] * 2);
    c37[0] = (c36[0] + 1);
    c38[0] = own_stripe01[c36[0]];
    c39[0] = fma(c38[0], 1.000000e+00f, c32[0]);
    c40[0] = (c39[0] - c31[0]);
    own_stripe12[c36[0]] = c40[0];
    c41[0] = (c40[0] * c40[0]);
    c42[0] = (c33[0] + c41[0]);
    c43[0] = own_stripe01[c37[0]];
    c44[0] = fma(c43[0], 1.000000e+00f, c32[0]);
    c45[0] = (c44[0] - c31[0]);
    own_stripe12[c37[0]] = c45[0];
    c46[0] = (c45[0] * c45[0]);
    c47[0] = (c42[0] + c46[0]);
    c33[0] = c47[0];
  }
  c48[0] = own_stripe01[8];
  c49[0] = fma(c48[0], 1.000000e+00f, c32[0]);
  c50[0] = (c49[0] - c31[0]);
  own_stripe12[8] = c50[0];
  c51[0] = (c50[0] * c50[0]);
  c52[0] = (c33[0] + c51[0]);
  c53[0] = select(c33[0], c52[0], (c24[0] != (char)0));
  c54[0] = simd_sum(c53[0]);
  c55[0] = n_eps_ptr[0];
  c56[0] = (c54[0] / 2.570000e+02f);
  c57[0] = (c56[0] + c55[0]);
  c58[0] = precise::sqrt(c57[0]);
  c59[0] = (1.000000e+00f / c58[0]);
  c60[0] = (c6[0] * 257);
  for (int i61 = 0; i61 < 4; ++i61) {
    c62[0] = (0 + i61);
    c63[0] = (c62[0] * 64);
    c64[0] = (c62[0] * 2);
    c65[0] = (c63[0] + 1);
    c66[0] = (c64[0] + 1);
    c67[0] = (c63[0] + (lane3 * 2));
    c68[0] = *(device float2*)(p_bias_ptr + ((c67[0] >> 1) * 2));
    c69[0] = (c68[0])[0];
    c70[0] = (c63[0] + (lane3 * 2));
    c71[0] = *(device float2*)(p_weight_ptr + ((c70[0] >> 1) * 2));
    c72[0] = (c71[0])[0];
    c73[0] = own_stripe12[c64[0]];
    c74[0] = (c73[0] * c59[0]);
    c75[0] = (c74[0] * c72[0]);
    c76[0] = (c75[0] + c69[0]);
    c77[0] = (c60[0] + c63[0]);
    p_y_ptr[(c77[0] + (lane3 * 2))] = c76[0];
    c78[0] = (c68[0])[1];
    c79[0] = (c71[0])[1];
    c80[0] = own_stripe12[c66[0]];
    c81[0] = (c80[0] * c59[0]);
    c82[0] = (c81[0] * c79[0]);
    c83[0] = (c82[0] + c78[0]);
    c84[0] = (c77[0] + 1);
    p_y_ptr[(c84[0] + (lane3 * 2))] = c83[0];
  }
  float condval_1;
  if (c24[0] != (char)0) {
    condval_1 = p_bias_ptr[(256 + (lane3 * 2))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c85[0] = condval_1;
  float condval_2;
  if (c24[0] != (char)0) {
    condval_2 = p_weight_ptr[(256 + (lane3 * 2))];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c86[0] = condval_2;
  c87[0] = own_stripe12[8];
  c88[0] = (c87[0] * c59[0]);
  c89[0] = (c88[0] * c86[0]);
  c90[0] = (c89[0] + c85[0]);
  c91[0] = (c60[0] + 256);
  if (c24[0] != (char)0) {
    p_y_ptr[(c91[0] + (lane3 * 2))] = c90[0];
  }
}


