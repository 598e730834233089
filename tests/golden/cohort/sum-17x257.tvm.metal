// Function: sum_kernel_89f17e8f9535_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void sum_kernel_89f17e8f9535_0_kernel(  device float* p_x_ptr [[ buffer(0) ]],
  device float* p_y_ptr [[ buffer(1) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread int c4[1];
  thread int c5[1];
  thread int c6[1];
  thread int c7[1];
  thread char c8[1];
  thread char c9[1];
  thread int c10[1];
  thread int c11[1];
  thread int c12[1];
  thread int c13[1];
  thread float2 c14[1];
  thread float c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread char c19[1];
  thread int c20[1];
  thread char c21[1];
  thread float c22[1];
  thread float c23[1];
  thread int c24[1];
  thread int c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread float c34[1];
  thread int c36[1];
  thread int c37[1];
  thread int c38[1];
  thread int c39[1];
  thread int c40[1];
  thread float2 c41[1];
  thread float c42[1];
  thread float c43[1];
  thread int c44[1];
  thread float c45[1];
  thread float c46[1];
  thread int c47[1];
  thread int c48[1];
  thread char c49[1];
  thread char c50[1];
  thread char c51[1];
  thread char c52[1];
  thread char c53[1];
  thread char c54[1];
  thread int c55[1];
  thread int c56[1];
  thread int c57[1];
  thread float2 c58[1];
  thread float c59[1];
  thread float c60[1];
  thread float c61[1];
  thread float c62[1];
  thread char c63[1];
  thread int c64[1];
  thread char c65[1];
  thread char c66[1];
  thread float c67[1];
  thread float c68[1];
  thread int c69[1];
  thread int c71[1];
  thread float c72[1];
  thread float c73[1];
  thread float c74[1];
  thread float c75[1];
  thread float c76[1];
  thread float c77[1];
  thread float c78[1];
  thread float c79[1];
  thread float c80[1];
  int lane1 = (((int)threadIdx) & 31);
  int subgroup2 = (((int)threadIdx) >> 5);
  long group3 = ((long)((int)blockIdx));
  c4[0] = ((int)group3);
  c5[0] = (c4[0] & 1);
  c6[0] = (c5[0] + 257);
  c7[0] = (lane1 * 2);
  c8[0] = select((char)0, (char)1, (c7[0] >= c5[0]));
  c9[0] = select((char)0, (char)1, (select((uchar)0, (uchar)1, (c8[0] != (char)0)) != (uchar)1));
  c10[0] = (c4[0] * 257);
  c11[0] = (c10[0] & -2);
  c12[0] = (c11[0] + 1);
  c13[0] = (c11[0] + (lane1 * 2));
  float2 condval;
  if (c8[0] != (char)0) {
    condval = *(device float2*)(p_x_ptr + ((c13[0] >> 1) * 2));
  } else {
    condval = float2(0.000000e+00f, 0.000000e+00f);
  }
  c14[0] = condval;
  c15[0] = (c14[0])[0];
  c16[0] = select(0.000000e+00f, c15[0], (c8[0] != (char)0));
  c17[0] = (c14[0])[1];
  c18[0] = select(0.000000e+00f, c17[0], (c8[0] != (char)0));
  c19[0] = select((char)0, (char)1, simd_any((c9[0] != (char)0)));
  c20[0] = select(0, 1, (c19[0] != (char)0));
  c21[0] = select((char)0, (char)1, ((c8[0] != (char)0) && (c9[0] != (char)0)));
  c22[0] = 0.000000e+00f;
  c23[0] = 0.000000e+00f;
  c24[0] = (c20[0] - 0);
  for (int i25 = 0; i25 < c24[0]; ++i25) {
    c26[0] = (0 + i25);
    float condval_1;
    if (c21[0] != (char)0) {
      condval_1 = p_x_ptr[(c11[0] + (lane1 * 2))];
    } else {
      condval_1 = 0.000000e+00f;
    }
    c27[0] = condval_1;
    float condval_2;
    if (c9[0] != (char)0) {
      condval_2 = p_x_ptr[(c12[0] + (lane1 * 2))];
    } else {
      condval_2 = 0.000000e+00f;
    }
    c28[0] = condval_2;
    c22[0] = c27[0];
    c23[0] = c28[0];
  }
  c29[0] = select(c22[0], c16[0], (c8[0] != (char)0));
  c30[0] = select(c23[0], c18[0], (c8[0] != (char)0));
  c31[0] = (0.000000e+00f + c29[0]);
  c32[0] = select(0.000000e+00f, c31[0], (c8[0] != (char)0));
  c33[0] = (c32[0] + c30[0]);
  c34[0] = c33[0];
  for (int i35 = 0; i35 < 3; ++i35) {
    c36[0] = (0 + i35);
    c37[0] = (c36[0] * 64);
    c38[0] = (c11[0] + c37[0]);
    c39[0] = (c38[0] + 64);
    c40[0] = ((c38[0] + 64) + (lane1 * 2));
    c41[0] = *(device float2*)(p_x_ptr + ((c40[0] >> 1) * 2));
    c42[0] = (c41[0])[0];
    c43[0] = (c34[0] + c42[0]);
    c44[0] = (c38[0] + 65);
    c45[0] = (c41[0])[1];
    c46[0] = (c43[0] + c45[0]);
    c34[0] = c46[0];
  }
  c47[0] = (c7[0] + 256);
  c48[0] = (c7[0] + 257);
  c49[0] = select((char)0, (char)1, (c47[0] < c6[0]));
  c50[0] = select((char)0, (char)1, (c48[0] < c6[0]));
  c51[0] = select((char)0, (char)1, ((c49[0] != (char)0) && (c50[0] != (char)0)));
  c52[0] = select((char)0, (char)1, ((c49[0] != (char)0) || (c50[0] != (char)0)));
  c53[0] = select((char)0, (char)1, (select((uchar)0, (uchar)1, (c51[0] != (char)0)) != (uchar)1));
  c54[0] = select((char)0, (char)1, ((c52[0] != (char)0) && (c53[0] != (char)0)));
  c55[0] = (c11[0] + 256);
  c56[0] = (c11[0] + 257);
  c57[0] = ((c11[0] + 256) + (lane1 * 2));
  float2 condval_3;
  if (c51[0] != (char)0) {
    condval_3 = *(device float2*)(p_x_ptr + ((c57[0] >> 1) * 2));
  } else {
    condval_3 = float2(0.000000e+00f, 0.000000e+00f);
  }
  c58[0] = condval_3;
  c59[0] = (c58[0])[0];
  c60[0] = select(0.000000e+00f, c59[0], (c51[0] != (char)0));
  c61[0] = (c58[0])[1];
  c62[0] = select(0.000000e+00f, c61[0], (c51[0] != (char)0));
  c63[0] = select((char)0, (char)1, simd_any((c54[0] != (char)0)));
  c64[0] = select(0, 1, (c63[0] != (char)0));
  c65[0] = select((char)0, (char)1, ((c49[0] != (char)0) && (c54[0] != (char)0)));
  c66[0] = select((char)0, (char)1, ((c50[0] != (char)0) && (c54[0] != (char)0)));
  c67[0] = 0.000000e+00f;
  c68[0] = 0.000000e+00f;
  c69[0] = (c64[0] - 0);
  for (int i70 = 0; i70 < c69[0]; ++i70) {
    c71[0] = (0 + i70);
    float condval_4;
    if (c65[0] != (char)0) {
      condval_4 = p_x_ptr[(c55[0] + (lane1 * 2))];
    } else {
      condval_4 = 0.000000e+00f;
    }
    c72[0] = condval_4;
    float condval_5;
    if (c66[0] != (char)0) {
      condval_5 = p_x_ptr[(c56[0] + (lane1 * 2))];
    } else {
      condval_5 = 0.000000e+00f;
    }
    c73[0] = condval_5;
    c67[0] = c72[0];
    c68[0] = c73[0];
  }
  c74[0] = select(c67[0], c60[0], (c51[0] != (char)0));
  c75[0] = select(c68[0], c62[0], (c51[0] != (char)0));
  c76[0] = (c34[0] + c74[0]);
  c77[0] = select(c34[0], c76[0], (c49[0] != (char)0));
  c78[0] = (c77[0] + c75[0]);
  c79[0] = select(c77[0], c78[0], (c50[0] != (char)0));
  c80[0] = simd_sum(c79[0]);
  if (lane1 == 0) {
    p_y_ptr[c4[0]] = c80[0];
  }
}


