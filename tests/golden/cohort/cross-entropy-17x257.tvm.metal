// Function: cross_entropy_kernel_76d2dec0f579_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void cross_entropy_kernel_76d2dec0f579_0_kernel(  device long* p_labels_ptr [[ buffer(0) ]],
  device float* p_logits_ptr [[ buffer(1) ]],
  device float* p_loss_ptr [[ buffer(2) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread int c3[1];
  thread long c4[1];
  thread float c5[1];
  thread int c7[1];
  thread int c8[1];
  thread int c9[1];
  thread float c10[1];
  thread float c11[1];
  thread float c12[1];
  thread char c13[1];
  thread int c14[1];
  thread float c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread char c20[1];
  thread float c21[1];
  thread long c22[1];
  thread char c23[1];
  thread char c24[1];
  thread char c25[1];
  thread long c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread char c30[1];
  thread float c31[1];
  thread float c32[1];
  thread int c34[1];
  thread int c35[1];
  thread int c36[1];
  thread float c37[1];
  thread float c38[1];
  thread char c39[1];
  thread float c40[1];
  thread char c41[1];
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
  thread char c59[1];
  thread float c60[1];
  thread char c61[1];
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
  thread float c73[1];
  thread float c74[1];
  thread float c75[1];
  thread float c76[1];
  thread float c77[1];
  thread float c78[1];
  thread char c79[1];
  thread float c80[1];
  thread float c81[1];
  thread uint c82[1];
  thread int c83[1];
  thread int c84[1];
  thread char c85[1];
  thread uint c86[1];
  thread int c87[1];
  thread int c88[1];
  thread char c89[1];
  thread uint c90[1];
  thread uint c91[1];
  thread int c92[1];
  thread int c93[1];
  thread int c94[1];
  thread uint c95[1];
  thread float c96[1];
  thread int c97[1];
  thread char c98[1];
  thread uint c99[1];
  thread int c100[1];
  thread int c101[1];
  thread int c102[1];
  thread float c103[1];
  thread float c104[1];
  thread float c105[1];
  thread float c106[1];
  thread float c107[1];
  thread float c108[1];
  thread float c109[1];
  thread float c110[1];
  thread float c111[1];
  thread float c112[1];
  thread float c113[1];
  thread float c114[1];
  thread float c115[1];
  thread float c116[1];
  thread float c117[1];
  thread char c118[1];
  thread float c119[1];
  thread char c120[1];
  thread float c121[1];
  thread char c122[1];
  thread float c123[1];
  thread float c124[1];
  thread float c125[1];
  int lane1 = (((int)threadIdx) & 31);
  int subgroup2 = (((int)threadIdx) >> 5);
  c3[0] = (((int)blockIdx) * 257);
  c4[0] = ((long)c3[0]);
  c5[0] = (as_type<float>(-8388608));
  for (int i6 = 0; i6 < 8; ++i6) {
    c7[0] = (0 + i6);
    c8[0] = (c7[0] * 32);
    c9[0] = (c3[0] + c8[0]);
    c10[0] = p_logits_ptr[(c9[0] + lane1)];
    c11[0] = select(c10[0], c5[0], (c5[0] > c10[0]));
    c12[0] = select(c11[0], c5[0], !(c5[0] <= (as_type<float>(2139095040))));
    c5[0] = c12[0];
  }
  c13[0] = select((char)0, (char)1, (lane1 < 1));
  c14[0] = (c3[0] + 256);
  float condval;
  if (c13[0] != (char)0) {
    condval = p_logits_ptr[(c14[0] + lane1)];
  } else {
    condval = 0.000000e+00f;
  }
  c15[0] = condval;
  c16[0] = select(c15[0], c5[0], (c5[0] > c15[0]));
  c17[0] = select(c16[0], c5[0], !(c5[0] <= (as_type<float>(2139095040))));
  c18[0] = select(c5[0], c17[0], (c13[0] != (char)0));
  c19[0] = simd_max(c18[0]);
  c20[0] = select((char)0, (char)1, simd_any(!(c18[0] <= (as_type<float>(2139095040)))));
  c21[0] = select(c19[0], (as_type<float>(2143289344)), (c20[0] != (char)0));
  c22[0] = p_labels_ptr[((int)blockIdx)];
  c23[0] = select((char)0, (char)1, (c22[0] >= (long)0));
  c24[0] = select((char)0, (char)1, (c22[0] < (long)257));
  c25[0] = select((char)0, (char)1, ((c23[0] != (char)0) && (c24[0] != (char)0)));
  c26[0] = ((long)(((ulong)c4[0]) + ((ulong)c22[0])));
  float condval_1;
  if (c25[0] != (char)0) {
    condval_1 = p_logits_ptr[c26[0]];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c27[0] = condval_1;
  c28[0] = select(0.000000e+00f, c27[0], (c25[0] != (char)0));
  c29[0] = fabs(c21[0]);
  c30[0] = select((char)0, (char)1, (c29[0] < (as_type<float>(2139095040))));
  c31[0] = select(0.000000e+00f, c21[0], (c30[0] != (char)0));
  c32[0] = 0.000000e+00f;
  for (int i33 = 0; i33 < 8; ++i33) {
    c34[0] = (0 + i33);
    c35[0] = (c34[0] * 32);
    c36[0] = (c3[0] + c35[0]);
    c37[0] = p_logits_ptr[(c36[0] + lane1)];
    c38[0] = (c37[0] - c31[0]);
    c39[0] = select((char)0, (char)1, (-1.040000e+02f > c38[0]));
    c40[0] = select(c38[0], -1.040000e+02f, (c39[0] != (char)0));
    c41[0] = select((char)0, (char)1, (8.900000e+01f < c40[0]));
    c42[0] = select(c40[0], 8.900000e+01f, (c41[0] != (char)0));
    c43[0] = fma(c42[0], 1.442695e+00f, (as_type<float>(1262485504)));
    c44[0] = (c43[0] - (as_type<float>(1262485504)));
    c45[0] = fma(c44[0], -6.931472e-01f, c42[0]);
    c46[0] = fma(c44[0], (as_type<float>(822272776)), c45[0]);
    c47[0] = fma((as_type<float>(984950938)), c46[0], 8.368669e-03f);
    c48[0] = fma(c47[0], c46[0], 4.166826e-02f);
    c49[0] = fma(c48[0], c46[0], (as_type<float>(1042983497)));
    c50[0] = fma(c49[0], c46[0], (as_type<float>(1056964606)));
    c51[0] = fma(c50[0], c46[0], 1.000000e+00f);
    c52[0] = fma(c51[0], c46[0], 1.000000e+00f);
    c53[0] = select(-3.000000e+02f, c44[0], (c44[0] > -3.000000e+02f));
    c54[0] = select(3.000000e+02f, c53[0], (c53[0] < 3.000000e+02f));
    c55[0] = ldexp(c52[0], ((int)c54[0]));
    c56[0] = (c32[0] + c55[0]);
    c32[0] = c56[0];
  }
  float condval_2;
  if (c13[0] != (char)0) {
    condval_2 = p_logits_ptr[(c14[0] + lane1)];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c57[0] = condval_2;
  c58[0] = (c57[0] - c31[0]);
  c59[0] = select((char)0, (char)1, (-1.040000e+02f > c58[0]));
  c60[0] = select(c58[0], -1.040000e+02f, (c59[0] != (char)0));
  c61[0] = select((char)0, (char)1, (8.900000e+01f < c60[0]));
  c62[0] = select(c60[0], 8.900000e+01f, (c61[0] != (char)0));
  c63[0] = fma(c62[0], 1.442695e+00f, (as_type<float>(1262485504)));
  c64[0] = (c63[0] - (as_type<float>(1262485504)));
  c65[0] = fma(c64[0], -6.931472e-01f, c62[0]);
  c66[0] = fma(c64[0], (as_type<float>(822272776)), c65[0]);
  c67[0] = fma((as_type<float>(984950938)), c66[0], 8.368669e-03f);
  c68[0] = fma(c67[0], c66[0], 4.166826e-02f);
  c69[0] = fma(c68[0], c66[0], (as_type<float>(1042983497)));
  c70[0] = fma(c69[0], c66[0], (as_type<float>(1056964606)));
  c71[0] = fma(c70[0], c66[0], 1.000000e+00f);
  c72[0] = fma(c71[0], c66[0], 1.000000e+00f);
  c73[0] = select(-3.000000e+02f, c64[0], (c64[0] > -3.000000e+02f));
  c74[0] = select(3.000000e+02f, c73[0], (c73[0] < 3.000000e+02f));
  c75[0] = ldexp(c72[0], ((int)c74[0]));
  c76[0] = (c32[0] + c75[0]);
  c77[0] = select(c32[0], c76[0], (c13[0] != (char)0));
  c78[0] = simd_sum(c77[0]);
  c79[0] = select((char)0, (char)1, (c78[0] < (as_type<float>(8388608))));
  c80[0] = (c78[0] * 8.388608e+06f);
  c81[0] = select(c78[0], c80[0], (c79[0] != (char)0));
  c82[0] = (as_type<uint>(c81[0]));
  c83[0] = (as_type<int>(c82[0]));
  c84[0] = ((int)(((uint)c83[0]) + (uint)3234528013));
  c85[0] = select((char)0, (char)1, ((uint)23 < (uint)32));
  c86[0] = select((uint)0, (uint)23, (c85[0] != (char)0));
  c87[0] = select(31, 23, (c85[0] != (char)0));
  c88[0] = (c84[0] >> c87[0]);
  c89[0] = select((char)0, (char)1, ((uint)23 < (uint)32));
  c90[0] = select((uint)0, (uint)23, (c89[0] != (char)0));
  c91[0] = ((uint)c88[0]);
  c92[0] = ((int)(c91[0] << c90[0]));
  c93[0] = select(0, c92[0], (c89[0] != (char)0));
  c94[0] = ((int)(((uint)c83[0]) - ((uint)c93[0])));
  c95[0] = (as_type<uint>(c94[0]));
  c96[0] = (as_type<float>(c95[0]));
  c97[0] = select(0, -23, (c79[0] != (char)0));
  c98[0] = select((char)0, (char)1, ((uint)23 < (uint)32));
  c99[0] = select((uint)0, (uint)23, (c98[0] != (char)0));
  c100[0] = select(31, 23, (c98[0] != (char)0));
  c101[0] = (c93[0] >> c100[0]);
  c102[0] = ((int)(((uint)c101[0]) + ((uint)c97[0])));
  c103[0] = (c96[0] - 1.000000e+00f);
  c104[0] = ((float)c102[0]);
  c105[0] = (c104[0] * (as_type<float>(-1325210872)));
  c106[0] = (c103[0] * c103[0]);
  c107[0] = fma((as_type<float>(-1113793000)), c103[0], 1.292980e-01f);
  c108[0] = fma(c107[0], c103[0], (as_type<float>(-1106799641)));
  c109[0] = fma(c108[0], c103[0], (as_type<float>(1041313101)));
  c110[0] = fma(c109[0], c103[0], -1.660887e-01f);
  c111[0] = fma(c110[0], c103[0], (as_type<float>(1045222037)));
  c112[0] = fma(c111[0], c103[0], (as_type<float>(-1098907110)));
  c113[0] = fma(c112[0], c103[0], (as_type<float>(1051372199)));
  c114[0] = fma(c113[0], c103[0], (as_type<float>(-1090519044)));
  c115[0] = fma(c106[0], c114[0], c105[0]);
  c116[0] = (c103[0] + c115[0]);
  c117[0] = fma(c104[0], 6.931472e-01f, c116[0]);
  c118[0] = select((char)0, (char)1, (c78[0] == 0.000000e+00f));
  c119[0] = select((as_type<float>(2143289344)), (as_type<float>(-8388608)), (c118[0] != (char)0));
  c120[0] = select((char)0, (char)1, (c78[0] < (as_type<float>(2139095040))));
  c121[0] = select(c78[0], c117[0], (c120[0] != (char)0));
  c122[0] = select((char)0, (char)1, (c78[0] <= 0.000000e+00f));
  c123[0] = select(c121[0], c119[0], (c122[0] != (char)0));
  c124[0] = (c31[0] - c28[0]);
  c125[0] = (c124[0] + c123[0]);
  if (lane1 == 0) {
    p_loss_ptr[((int)blockIdx)] = c125[0];
  }
}


