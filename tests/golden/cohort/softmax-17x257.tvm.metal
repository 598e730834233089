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
  thread int c5[1];
  thread float c6[1];
  thread int c8[1];
  thread int c9[1];
  thread int c10[1];
  thread float c11[1];
  thread float c12[1];
  thread float c13[1];
  thread char c14[1];
  thread int c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread char c21[1];
  thread float c22[1];
  thread float c23[1];
  thread int c25[1];
  thread float c26[1];
  thread float c27[1];
  thread char c28[1];
  thread float c29[1];
  thread char c30[1];
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
  thread char c48[1];
  thread float c49[1];
  thread char c50[1];
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
  thread int c69[1];
  thread int c71[1];
  thread int c72[1];
  thread float c73[1];
  thread float c74[1];
  thread int c75[1];
  thread float c76[1];
  thread float c77[1];
  thread int c78[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  c5[0] = (((int)blockIdx) * 257);
  c6[0] = (as_type<float>(-8388608));
  for (int i7 = 0; i7 < 8; ++i7) {
    c8[0] = (0 + i7);
    c9[0] = (c8[0] * 32);
    c10[0] = (c5[0] + c9[0]);
    c11[0] = p_x_ptr[(c10[0] + lane3)];
    own_stripe01[c8[0]] = c11[0];
    c12[0] = select(c11[0], c6[0], (c6[0] > c11[0]));
    c13[0] = select(c12[0], c6[0], !(c6[0] <= (as_type<float>(2139095040))));
    c6[0] = c13[0];
  }
  c14[0] = select((char)0, (char)1, (lane3 < 1));
  c15[0] = (c5[0] + 256);
  float condval;
  if (c14[0] != (char)0) {
    condval = p_x_ptr[(c15[0] + lane3)];
  } else {
    condval = 0.000000e+00f;
  }
  c16[0] = condval;
  own_stripe01[8] = c16[0];
  c17[0] = select(c16[0], c6[0], (c6[0] > c16[0]));
  c18[0] = select(c17[0], c6[0], !(c6[0] <= (as_type<float>(2139095040))));
  c19[0] = select(c6[0], c18[0], (c14[0] != (char)0));
  c20[0] = simd_max(c19[0]);
  c21[0] = select((char)0, (char)1, simd_any(!(c19[0] <= (as_type<float>(2139095040)))));
  c22[0] = select(c20[0], (as_type<float>(2143289344)), (c21[0] != (char)0));
  c23[0] = 0.000000e+00f;
  for (int i24 = 0; i24 < 8; ++i24) {
    c25[0] = (0 + i24);
    c26[0] = own_stripe01[c25[0]];
    c27[0] = (c26[0] - c22[0]);
    c28[0] = select((char)0, (char)1, (-1.040000e+02f > c27[0]));
    c29[0] = select(c27[0], -1.040000e+02f, (c28[0] != (char)0));
    c30[0] = select((char)0, (char)1, (8.900000e+01f < c29[0]));
    c31[0] = select(c29[0], 8.900000e+01f, (c30[0] != (char)0));
    c32[0] = fma(c31[0], 1.442695e+00f, (as_type<float>(1262485504)));
    c33[0] = (c32[0] - (as_type<float>(1262485504)));
    c34[0] = fma(c33[0], -6.931472e-01f, c31[0]);
    c35[0] = fma(c33[0], (as_type<float>(822272776)), c34[0]);
    c36[0] = fma((as_type<float>(984950938)), c35[0], 8.368669e-03f);
    c37[0] = fma(c36[0], c35[0], 4.166826e-02f);
    c38[0] = fma(c37[0], c35[0], (as_type<float>(1042983497)));
    c39[0] = fma(c38[0], c35[0], (as_type<float>(1056964606)));
    c40[0] = fma(c39[0], c35[0], 1.000000e+00f);
    c41[0] = fma(c40[0], c35[0], 1.000000e+00f);
    c42[0] = select(-3.000000e+02f, c33[0], (c33[0] > -3.000000e+02f));
    c43[0] = select(3.000000e+02f, c42[0], (c42[0] < 3.000000e+02f));
    c44[0] = ldexp(c41[0], ((int)c43[0]));
    own_stripe12[c25[0]] = c44[0];
    c45[0] = (c23[0] + c44[0]);
    c23[0] = c45[0];
  }
  c46[0] = own_stripe01[8];
  c47[0] = (c46[0] - c22[0]);
  c48[0] = select((char)0, (char)1, (-1.040000e+02f > c47[0]));
  c49[0] = select(c47[0], -1.040000e+02f, (c48[0] != (char)0));
  c50[0] = select((char)0, (char)1, (8.900000e+01f < c49[0]));
  c51[0] = select(c49[0], 8.900000e+01f, (c50[0] != (char)0));
  c52[0] = fma(c51[0], 1.442695e+00f, (as_type<float>(1262485504)));
  c53[0] = (c52[0] - (as_type<float>(1262485504)));
  c54[0] = fma(c53[0], -6.931472e-01f, c51[0]);
  c55[0] = fma(c53[0], (as_type<float>(822272776)), c54[0]);
  c56[0] = fma((as_type<float>(984950938)), c55[0], 8.368669e-03f);
  c57[0] = fma(c56[0], c55[0], 4.166826e-02f);
  c58[0] = fma(c57[0], c55[0], (as_type<float>(1042983497)));
  c59[0] = fma(c58[0], c55[0], (as_type<float>(1056964606)));
  c60[0] = fma(c59[0], c55[0], 1.000000e+00f);
  c61[0] = fma(c60[0], c55[0], 1.000000e+00f);
  c62[0] = select(-3.000000e+02f, c53[0], (c53[0] > -3.000000e+02f));
  c63[0] = select(3.000000e+02f, c62[0], (c62[0] < 3.000000e+02f));
  c64[0] = ldexp(c61[0], ((int)c63[0]));
  own_stripe12[8] = c64[0];
  c65[0] = (c23[0] + c64[0]);
  c66[0] = select(c23[0], c65[0], (c14[0] != (char)0));
  c67[0] = simd_sum(c66[0]);
  c68[0] = (1.000000e+00f / c67[0]);
  c69[0] = (((int)blockIdx) * 257);
  for (int i70 = 0; i70 < 8; ++i70) {
    c71[0] = (0 + i70);
    c72[0] = (c71[0] * 32);
    c73[0] = own_stripe12[c71[0]];
    c74[0] = (c73[0] * c68[0]);
    c75[0] = (c69[0] + c72[0]);
    p_y_ptr[(c75[0] + lane3)] = c74[0];
  }
  c76[0] = own_stripe12[8];
  c77[0] = (c76[0] * c68[0]);
  c78[0] = (c69[0] + 256);
  if (c14[0] != (char)0) {
    p_y_ptr[(c78[0] + lane3)] = c77[0];
  }
}


