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
  thread int c5[1];
  thread float c6[1];
  thread float c7[1];
  thread int c9[1];
  thread int c10[1];
  thread int c11[1];
  thread int c12[1];
  thread int c13[1];
  thread float c14[1];
  thread float c15[1];
  thread float c16[1];
  thread int c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread int c21[1];
  thread char c22[1];
  thread int c23[1];
  thread float c24[1];
  thread float c25[1];
  thread float c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread int c33[1];
  thread int c34[1];
  thread int c35[1];
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
  thread float c57[1];
  thread int c58[1];
  thread int c60[1];
  thread int c61[1];
  thread int c62[1];
  thread int c63[1];
  thread int c64[1];
  thread int c65[1];
  thread float2 c66[1];
  thread float c67[1];
  thread int c68[1];
  thread float2 c69[1];
  thread float c70[1];
  thread float c71[1];
  thread float c72[1];
  thread float c73[1];
  thread float c74[1];
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
  c5[0] = (((int)blockIdx) * 257);
  c6[0] = p_x_ptr[c5[0]];
  c7[0] = 0.000000e+00f;
  for (int i8 = 0; i8 < 4; ++i8) {
    c9[0] = (0 + i8);
    c10[0] = (c9[0] * 64);
    c11[0] = (c9[0] * 2);
    c12[0] = (c11[0] + 1);
    c13[0] = (c5[0] + c10[0]);
    c14[0] = p_x_ptr[(c13[0] + (lane3 * 2))];
    own_stripe01[c11[0]] = c14[0];
    c15[0] = (c14[0] - c6[0]);
    c16[0] = (c7[0] + c15[0]);
    c17[0] = (c13[0] + 1);
    c18[0] = p_x_ptr[(c17[0] + (lane3 * 2))];
    own_stripe01[c12[0]] = c18[0];
    c19[0] = (c18[0] - c6[0]);
    c20[0] = (c16[0] + c19[0]);
    c7[0] = c20[0];
  }
  c21[0] = (lane3 * 2);
  c22[0] = select((char)0, (char)1, (c21[0] < 2));
  c23[0] = (c5[0] + 256);
  float condval;
  if (c22[0] != (char)0) {
    condval = p_x_ptr[(c23[0] + (lane3 * 2))];
  } else {
    condval = 0.000000e+00f;
  }
  c24[0] = condval;
  own_stripe01[8] = c24[0];
  c25[0] = (c24[0] - c6[0]);
  c26[0] = (c7[0] + c25[0]);
  c27[0] = select(c7[0], c26[0], (c22[0] != (char)0));
  c28[0] = simd_sum(c27[0]);
  c29[0] = (c28[0] / 2.570000e+02f);
  c30[0] = (-0.000000e+00f - c6[0]);
  c31[0] = 0.000000e+00f;
  for (int i32 = 0; i32 < 4; ++i32) {
    c33[0] = (0 + i32);
    c34[0] = (c33[0] * 2);
    c35[0] = (c34[0] + 1);
    c36[0] = own_stripe01[c34[0]];
    c37[0] = fma(c36[0], 1.000000e+00f, c30[0]);
    c38[0] = (c37[0] - c29[0]);
    own_stripe12[c34[0]] = c38[0];
    c39[0] = (c38[0] * c38[0]);
    c40[0] = (c31[0] + c39[0]);
    c41[0] = own_stripe01[c35[0]];
    c42[0] = fma(c41[0], 1.000000e+00f, c30[0]);
    c43[0] = (c42[0] - c29[0]);
    own_stripe12[c35[0]] = c43[0];
    c44[0] = (c43[0] * c43[0]);
    c45[0] = (c40[0] + c44[0]);
    c31[0] = c45[0];
  }
  c46[0] = own_stripe01[8];
  c47[0] = fma(c46[0], 1.000000e+00f, c30[0]);
  c48[0] = (c47[0] - c29[0]);
  own_stripe12[8] = c48[0];
  c49[0] = (c48[0] * c48[0]);
  c50[0] = (c31[0] + c49[0]);
  c51[0] = select(c31[0], c50[0], (c22[0] != (char)0));
  c52[0] = simd_sum(c51[0]);
  c53[0] = n_eps_ptr[0];
  c54[0] = (c52[0] / 2.570000e+02f);
  c55[0] = (c54[0] + c53[0]);
  c56[0] = precise::sqrt(c55[0]);
  c57[0] = (1.000000e+00f / c56[0]);
  c58[0] = (((int)blockIdx) * 257);
  for (int i59 = 0; i59 < 4; ++i59) {
    c60[0] = (0 + i59);
    c61[0] = (c60[0] * 64);
    c62[0] = (c60[0] * 2);
    c63[0] = (c61[0] + 1);
    c64[0] = (c62[0] + 1);
    c65[0] = (c61[0] + (lane3 * 2));
    c66[0] = *(device float2*)(p_bias_ptr + ((c65[0] >> 1) * 2));
    c67[0] = (c66[0])[0];
    c68[0] = (c61[0] + (lane3 * 2));
    c69[0] = *(device float2*)(p_weight_ptr + ((c68[0] >> 1) * 2));
    c70[0] = (c69[0])[0];
    c71[0] = own_stripe12[c62[0]];
    c72[0] = (c71[0] * c57[0]);
    c73[0] = (c72[0] * c70[0]);
    c74[0] = (c73[0] + c67[0]);
    c75[0] = (c58[0] + c61[0]);
    p_y_ptr[(c75[0] + (lane3 * 2))] = c74[0];
    c76[0] = (c66[0])[1];
    c77[0] = (c69[0])[1];
    c78[0] = own_stripe12[c64[0]];
    c79[0] = (c78[0] * c57[0]);
    c80[0] = (c79[0] * c77[0]);
    c81[0] = (c80[0] + c76[0]);
    c82[0] = (c75[0] + 1);
    p_y_ptr[(c82[0] + (lane3 * 2))] = c81[0];
  }
  float condval_1;
  if (c22[0] != (char)0) {
    condval_1 = p_bias_ptr[(256 + (lane3 * 2))];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c83[0] = condval_1;
  float condval_2;
  if (c22[0] != (char)0) {
    condval_2 = p_weight_ptr[(256 + (lane3 * 2))];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c84[0] = condval_2;
  c85[0] = own_stripe12[8];
  c86[0] = (c85[0] * c57[0]);
  c87[0] = (c86[0] * c84[0]);
  c88[0] = (c87[0] + c83[0]);
  c89[0] = (c58[0] + 256);
  if (c22[0] != (char)0) {
    p_y_ptr[(c89[0] + (lane3 * 2))] = c88[0];
  }
}


