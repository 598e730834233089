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
  thread int c3[1];
  thread int c4[1];
  thread int c5[1];
  thread char c6[1];
  thread char c7[1];
  thread int c8[1];
  thread int c9[1];
  thread int c10[1];
  thread int c11[1];
  thread float2 c12[1];
  thread float c13[1];
  thread float c14[1];
  thread float c15[1];
  thread float c16[1];
  thread char c17[1];
  thread int c18[1];
  thread float c19[1];
  thread float c20[1];
  thread int c21[1];
  thread int c23[1];
  thread float c24[1];
  thread float c25[1];
  thread float c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread int c31[1];
  thread int c32[1];
  thread int c33[1];
  thread int c34[1];
  thread int c35[1];
  thread float2 c36[1];
  thread float c37[1];
  thread float c38[1];
  thread int c39[1];
  thread float c40[1];
  thread float c41[1];
  thread int c42[1];
  thread int c43[1];
  thread char c44[1];
  thread char c45[1];
  thread char c46[1];
  thread char c47[1];
  thread int c48[1];
  thread int c49[1];
  thread int c50[1];
  thread float2 c51[1];
  thread float c52[1];
  thread float c53[1];
  thread float c54[1];
  thread float c55[1];
  thread char c56[1];
  thread char c57[1];
  thread int c58[1];
  thread float c59[1];
  thread float c60[1];
  thread int c61[1];
  thread int c63[1];
  thread float c64[1];
  thread float c65[1];
  thread float c66[1];
  thread float c67[1];
  thread float c68[1];
  thread float c69[1];
  thread float c70[1];
  int lane1 = (((int)threadIdx) & 31);
  int subgroup2 = (((int)threadIdx) >> 5);
  c3[0] = (((int)blockIdx) & 1);
  c4[0] = (c3[0] + 257);
  c5[0] = (lane1 * 2);
  c6[0] = select((char)0, (char)1, (c5[0] >= c3[0]));
  c7[0] = select((char)0, (char)1, (select((uchar)0, (uchar)1, (c6[0] != (char)0)) != (uchar)1));
  c8[0] = (((int)blockIdx) * 257);
  c9[0] = (c8[0] & -2);
  c10[0] = (c9[0] + 1);
  c11[0] = (c9[0] + (lane1 * 2));
  float2 condval;
  if (c6[0] != (char)0) {
    condval = *(device float2*)(p_x_ptr + ((c11[0] >> 1) * 2));
  } else {
    condval = float2(0.000000e+00f, 0.000000e+00f);
  }
  c12[0] = condval;
  c13[0] = (c12[0])[0];
  c14[0] = select(0.000000e+00f, c13[0], (c6[0] != (char)0));
  c15[0] = (c12[0])[1];
  c16[0] = select(0.000000e+00f, c15[0], (c6[0] != (char)0));
  c17[0] = select((char)0, (char)1, simd_any((c7[0] != (char)0)));
  c18[0] = select(0, 1, (c17[0] != (char)0));
  c19[0] = c14[0];
  c20[0] = c16[0];
  c21[0] = (c18[0] - 0);
  for (int i22 = 0; i22 < c21[0]; ++i22) {
    c23[0] = (0 + i22);
    float condval_1;
    if (c7[0] != (char)0) {
      condval_1 = p_x_ptr[(c10[0] + (lane1 * 2))];
    } else {
      condval_1 = c20[0];
    }
    c24[0] = condval_1;
    c25[0] = c19[0];
    c19[0] = c25[0];
    c20[0] = c24[0];
  }
  c26[0] = (0.000000e+00f + c19[0]);
  c27[0] = select(0.000000e+00f, c26[0], (c6[0] != (char)0));
  c28[0] = (c27[0] + c20[0]);
  c29[0] = c28[0];
  for (int i30 = 0; i30 < 3; ++i30) {
    c31[0] = (0 + i30);
    c32[0] = (c31[0] * 64);
    c33[0] = (c9[0] + c32[0]);
    c34[0] = (c33[0] + 64);
    c35[0] = ((c33[0] + 64) + (lane1 * 2));
    c36[0] = *(device float2*)(p_x_ptr + ((c35[0] >> 1) * 2));
    c37[0] = (c36[0])[0];
    c38[0] = (c29[0] + c37[0]);
    c39[0] = (c33[0] + 65);
    c40[0] = (c36[0])[1];
    c41[0] = (c38[0] + c40[0]);
    c29[0] = c41[0];
  }
  c42[0] = (c5[0] + 256);
  c43[0] = (c5[0] + 257);
  c44[0] = select((char)0, (char)1, (c42[0] < c4[0]));
  c45[0] = select((char)0, (char)1, (c43[0] < c4[0]));
  c46[0] = select((char)0, (char)1, (select((uchar)0, (uchar)1, (c45[0] != (char)0)) != (uchar)1));
  c47[0] = select((char)0, (char)1, ((c44[0] != (char)0) && (c46[0] != (char)0)));
  c48[0] = (c9[0] + 256);
  c49[0] = (c9[0] + 257);
  c50[0] = ((c9[0] + 256) + (lane1 * 2));
  float2 condval_2;
  if (c45[0] != (char)0) {
    condval_2 = *(device float2*)(p_x_ptr + ((c50[0] >> 1) * 2));
  } else {
    condval_2 = float2(0.000000e+00f, 0.000000e+00f);
  }
  c51[0] = condval_2;
  c52[0] = (c51[0])[0];
  c53[0] = select(0.000000e+00f, c52[0], (c45[0] != (char)0));
  c54[0] = (c51[0])[1];
  c55[0] = select(0.000000e+00f, c54[0], (c45[0] != (char)0));
  c56[0] = select((char)0, (char)1, ((c44[0] != (char)0) && (c47[0] != (char)0)));
  c57[0] = select((char)0, (char)1, simd_any((c47[0] != (char)0)));
  c58[0] = select(0, 1, (c57[0] != (char)0));
  c59[0] = c53[0];
  c60[0] = c55[0];
  c61[0] = (c58[0] - 0);
  for (int i62 = 0; i62 < c61[0]; ++i62) {
    c63[0] = (0 + i62);
    float condval_3;
    if (c56[0] != (char)0) {
      condval_3 = p_x_ptr[(c48[0] + (lane1 * 2))];
    } else {
      condval_3 = c59[0];
    }
    c64[0] = condval_3;
    c65[0] = c60[0];
    c59[0] = c64[0];
    c60[0] = c65[0];
  }
  c66[0] = (c29[0] + c59[0]);
  c67[0] = select(c29[0], c66[0], (c44[0] != (char)0));
  c68[0] = (c67[0] + c60[0]);
  c69[0] = select(c67[0], c68[0], (c45[0] != (char)0));
  c70[0] = simd_sum(c69[0]);
  if (lane1 == 0) {
    p_y_ptr[((int)blockIdx)] = c70[0];
  }
}


