// Function: softmax_kernel_5dcb66b17ce3_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void softmax_kernel_5dcb66b17ce3_0_kernel(  device float* p_x_ptr [[ buffer(0) ]],
  device float* p_y_ptr [[ buffer(1) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread float own_stripe01[9];
  thread float own_stripe12[9];
  thread int c6[1];
  thread int c7[1];
  thread float c8[1];
  thread int c10[1];
  thread int c11[1];
  thread int c12[1];
  thread float c13[1];
  thread float c14[1];
  thread float c15[1];
  thread char c16[1];
  thread int c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread float c22[1];
  thread char c23[1];
  thread float c24[1];
  thread float c25[1];
  thread int c27[1];
  thread float c28[1];
  thread float c29[1];
  thread char c30[1];
  thread float c31[1];
  thread char c32[1];
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
  thread char c50[1];
  thread float c51[1];
  thread char c52[1];
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
  thread int c71[1];
  thread int c73[1];
  thread int c74[1];
  thread float c75[1];
  thread float c76[1];
  thread int c77[1];
  thread float c78[1];
  thread float c79[1];
  thread int c80[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  long group5 = ((long)((int)blockIdx));
  c6[0] = ((int)group5);
  c7[0] = (c6[0] * 257);
  c8[0] = (as_type<float>(-8388608));
  for (int i9 = 0; i9 < 8; ++i9) {
    c10[0] = (0 + i9);
    c11[0] = (c10[0] * 32);
    c12[0] = (c7[0] + c11[0]);
    c13[0] = p_x_ptr[(c12[0] + lane3)];
    own_stripe01[c10[0]] = c13[0];
    c14[0] = select(c13[0], c8[0], (c8[0] > c13[0]));
    c15[0] = select(c14[0], c8[0], !(c8[0] <= (as_type<float>(2139095040))));
    c8[0] = c15[0];
  }
  c16[0] = select((char)0, (char)1, (lane3 < 1));
  c17[0] = (c7[0] + 256);
  float condval;
  if (c16[0] != (char)0) {
    condval = p_x_ptr[(c17[0] + lane3)];
  } else {
    condval = 0.000000e+00f;
  }
  c18[0] = condval;
  own_stripe01[8] = c18[0];
  c19[0] = select(c18[0], c8[0], (c8[0] > c18[0]));
  c20[0] = select(c19[0], c8[0], !(c8[0] <= (as_type<float>(2139095040))));
  c21[0] = select(c8[0], c20[0], (c16[0] != (char)0));
  c22[0] = simd_max(c21[0]);
  c23[0] = select((char)0, (char)1, simd_any(!(c21[0] <= (as_type<float>(2139095040)))));
  c24[0] = select(c22[0], (as_type<float>(2143289344)), (c23[0] != (char)0));
  c25[0] = 0.000000e+00f;
  for (int i26 = 0; i26 < 8; ++i26) {
    c27[0] = (0 + i26);
    c28[0] = own_stripe01[c27[0]];
    c29[0] = (c28[0] - c24[0]);
    c30[0] = select((char)0, (char)1, (-1.040000e+02f > c29[0]));
    c31[0] = select(c29[0], -1.040000e+02f, (c30[0] != (char)0));
    c32[0] = select((char)0, (char)1, (8.900000e+01f < c31[0]));
    c33[0] = select(c31[0], 8.900000e+01f, (c32[0] != (char)0));
    c34[0] = fma(c33[0], 1.442695e+00f, (as_type<float>(1262485504)));
    c35[0] = (c34[0] - (as_type<float>(1262485504)));
    c36[0] = fma(c35[0], -6.931472e-01f, c33[0]);
    c37[0] = fma(c35[0], (as_type<float>(822272776)), c36[0]);
    c38[0] = fma((as_type<float>(984950938)), c37[0], 8.368669e-03f);
    c39[0] = fma(c38[0], c37[0], 4.166826e-02f);
    c40[0] = fma(c39[0], c37[0], (as_type<float>(1042983497)));
    c41[0] = fma(c40[0], c37[0], (as_type<float>(1056964606)));
    c42[0] = fma(c41[0], c37[0], 1.000000e+00f);
    c43[0] = fma(c42[0], c37[0], 1.000000e+00f);
    c44[0] = select(-3.000000e+02f, c35[0], (c35[0] > -3.000000e+02f));
    c45[0] = select(3.000000e+02f, c44[0], (c44[0] < 3.000000e+02f));
    c46[0] = ldexp(c43[0], ((int)c45[0]));
    own_stripe12[c27[0]] = c46[0];
    c47[0] = (c25[0] + c46[0]);
    c25[0] = c47[0];
  }
  c48[0] = own_stripe01[8];
  c49[0] = (c48[0] - c24[0]);
  c50[0] = select((char)0, (char)1, (-1.040000e+02f > c49[0]));
  c51[0] = select(c49[0], -1.040000e+02f, (c50[0] != (char)0));
  c52[0] = select((char)0, (char)1, (8.900000e+01f < c51[0]));
  c53[0] = select(c51[0], 8.900000e+01f, (c52[0] != (char)0));
  c54[0] = fma(c53[0], 1.442695e+00f, (as_type<float>(1262485504)));
  c55[0] = (c54[0] - (as_type<float>(1262485504)));
  c56[0] = fma(c55[0], -6.931472e-01f, c53[0]);
  c57[0] = fma(c55[0], (as_type<float>(822272776)), c56[0]);
  c58[0] = fma((as_type<float>(984950938)), c57[0], 8.368669e-03f);
  c59[0] = fma(c58[0], c57[0], 4.166826e-02f);
  c60[0] = fma(c59[0], c57[0], (as_type<float>(1042983497)));
  c61[0] = fma(c60[0], c57[0], (as_type<float>(1056964606)));
  c62[0] = fma(c61[0], c57[0], 1.000000e+00f);
  c63[0] = fma(c62[0], c57[0], 1.000000e+00f);
  c64[0] = select(-3.000000e+02f, c55[0], (c55[0] > -3.000000e+02f));
  c65[0] = select(3.000000e+02f, c64[0], (c64[0] < 3.000000e+02f));
  c66[0] = ldexp(c63[0], ((int)c65[0]));
  own_stripe12[8] = c66[0];
  c67[0] = (c25[0] + c66[0]);
  c68[0] = select(c25[0], c67[0], (c16[0] != (char)0));
  c69[0] = simd_sum(c68[0]);
  c70[0] = (1.000000e+00f / c69[0]);
  c71[0] = (c6[0] * 257);
  for (int i72 = 0; i72 < 8; ++i72) {
    c73[0] = (0 + i72);
    c74[0] = (c73[0] * 32);
    c75[0] = own_stripe12[c73[0]];
    c76[0] = (c75[0] * c70[0]);
    c77[0] = (c71[0] + c74[0]);
    p_y_ptr[(c77[0] + lane3)] = c76[0];
  }
  c78[0] = own_stripe12[8];
  c79[0] = (c78[0] * c70[0]);
  c80[0] = (c71[0] + 256);
  if (c16[0] != (char)0) {
    p_y_ptr[(c80[0] + lane3)] = c79[0];
  }
}


