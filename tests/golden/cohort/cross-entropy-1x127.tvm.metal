// Function: cross_entropy_kernel_aa37c16c4c25_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void cross_entropy_kernel_aa37c16c4c25_0_kernel(  device long* p_labels_ptr [[ buffer(0) ]],
  device float* p_logits_ptr [[ buffer(1) ]],
  device float* p_loss_ptr [[ buffer(2) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread long c4[1];
  thread float c5[1];
  thread long c7[1];
  thread long c8[1];
  thread long c9[1];
  thread float c10[1];
  thread float c11[1];
  thread float c12[1];
  thread long c13[1];
  thread char c14[1];
  thread long c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread float c20[1];
  thread char c21[1];
  thread float c22[1];
  thread long c23[1];
  thread char c24[1];
  thread char c25[1];
  thread char c26[1];
  thread long c27[1];
  thread float c28[1];
  thread float c29[1];
  thread float c30[1];
  thread char c31[1];
  thread float c32[1];
  thread float c33[1];
  thread long c35[1];
  thread long c36[1];
  thread long c37[1];
  thread float c38[1];
  thread float c39[1];
  thread char c40[1];
  thread float c41[1];
  thread char c42[1];
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
  thread char c60[1];
  thread float c61[1];
  thread char c62[1];
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
  thread float c79[1];
  thread char c80[1];
  thread float c81[1];
  thread float c82[1];
  thread uint c83[1];
  thread int c84[1];
  thread int c85[1];
  thread char c86[1];
  thread uint c87[1];
  thread int c88[1];
  thread int c89[1];
  thread char c90[1];
  thread uint c91[1];
  thread uint c92[1];
  thread int c93[1];
  thread int c94[1];
  thread int c95[1];
  thread uint c96[1];
  thread float c97[1];
  thread int c98[1];
  thread char c99[1];
  thread uint c100[1];
  thread int c101[1];
  thread int c102[1];
  thread int c103[1];
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
  thread float c118[1];
  thread char c119[1];
  thread float c120[1];
  thread char c121[1];
  thread float c122[1];
  thread char c123[1];
  thread float c124[1];
  thread float c125[1];
  thread float c126[1];
  int lane1 = (((int)threadIdx) & 31);
  int subgroup2 = (((int)threadIdx) >> 5);
  long group3 = ((long)((int)blockIdx));
  c4[0] = (group3 * (long)127);
  c5[0] = (as_type<float>(-8388608));
  for (long i6 = (long)0; i6 < (long)3; ++i6) {
    c7[0] = ((long)0 + i6);
    c8[0] = (c7[0] * (long)32);
    c9[0] = (c4[0] + c8[0]);
    c10[0] = p_logits_ptr[(c9[0] + ((long)lane1))];
    c11[0] = select(c10[0], c5[0], (c5[0] > c10[0]));
    c12[0] = select(c11[0], c5[0], !(c5[0] <= (as_type<float>(2139095040))));
    c5[0] = c12[0];
  }
  c13[0] = ((long)lane1);
  c14[0] = select((char)0, (char)1, (c13[0] < (long)31));
  c15[0] = (c4[0] + (long)96);
  float condval;
  if (c14[0] != (char)0) {
    condval = p_logits_ptr[(c15[0] + ((long)lane1))];
  } else {
    condval = 0.000000e+00f;
  }
  c16[0] = condval;
  c17[0] = select(c16[0], c5[0], (c5[0] > c16[0]));
  c18[0] = select(c17[0], c5[0], !(c5[0] <= (as_type<float>(2139095040))));
  c19[0] = select(c5[0], c18[0], (c14[0] != (char)0));
  c20[0] = simd_max(c19[0]);
  c21[0] = select((char)0, (char)1, simd_any(!(c19[0] <= (as_type<float>(2139095040)))));
  c22[0] = select(c20[0], (as_type<float>(2143289344)), (c21[0] != (char)0));
  c23[0] = p_labels_ptr[group3];
  c24[0] = select((char)0, (char)1, (c23[0] >= (long)0));
  c25[0] = select((char)0, (char)1, (c23[0] < (long)127));
  c26[0] = select((char)0, (char)1, ((c24[0] != (char)0) && (c25[0] != (char)0)));
  c27[0] = ((long)(((ulong)c4[0]) + ((ulong)c23[0])));
  float condval_1;
  if (c26[0] != (char)0) {
    condval_1 = p_logits_ptr[c27[0]];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c28[0] = condval_1;
  c29[0] = select(0.000000e+00f, c28[0], (c26[0] != (char)0));
  c30[0] = fabs(c22[0]);
  c31[0] = select((char)0, (char)1, (c30[0] < (as_type<float>(2139095040))));
  c32[0] = select(0.000000e+00f, c22[0], (c31[0] != (char)0));
  c33[0] = 0.000000e+00f;
  for (long i34 = (long)0; i34 < (long)3; ++i34) {
    c35[0] = ((long)0 + i34);
    c36[0] = (c35[0] * (long)32);
    c37[0] = (c4[0] + c36[0]);
    c38[0] = p_logits_ptr[(c37[0] + ((long)lane1))];
    c39[0] = (c38[0] - c32[0]);
    c40[0] = select((char)0, (char)1, (-1.040000e+02f > c39[0]));
    c41[0] = select(c39[0], -1.040000e+02f, (c40[0] != (char)0));
    c42[0] = select((char)0, (char)1, (8.900000e+01f < c41[0]));
    c43[0] = select(c41[0], 8.900000e+01f, (c42[0] != (char)0));
    c44[0] = fma(c43[0], 1.442695e+00f, (as_type<float>(1262485504)));
    c45[0] = (c44[0] - (as_type<float>(1262485504)));
    c46[0] = fma(c45[0], -6.931472e-01f, c43[0]);
    c47[0] = fma(c45[0], (as_type<float>(822272776)), c46[0]);
    c48[0] = fma((as_type<float>(984950938)), c47[0], 8.368669e-03f);
    c49[0] = fma(c48[0], c47[0], 4.166826e-02f);
    c50[0] = fma(c49[0], c47[0], (as_type<float>(1042983497)));
    c51[0] = fma(c50[0], c47[0], (as_type<float>(1056964606)));
    c52[0] = fma(c51[0], c47[0], 1.000000e+00f);
    c53[0] = fma(c52[0], c47[0], 1.000000e+00f);
    c54[0] = select(-3.000000e+02f, c45[0], (c45[0] > -3.000000e+02f));
    c55[0] = select(3.000000e+02f, c54[0], (c54[0] < 3.000000e+02f));
    c56[0] = ldexp(c53[0], ((int)c55[0]));
    c57[0] = (c33[0] + c56[0]);
    c33[0] = c57[0];
  }
  float condval_2;
  if (c14[0] != (char)0) {
    condval_2 = p_logits_ptr[(c15[0] + ((long)lane1))];
  } else {
    condval_2 = 0.000000e+00f;
  }
  c58[0] = condval_2;
  c59[0] = (c58[0] - c32[0]);
  c60[0] = select((char)0, (char)1, (-1.040000e+02f > c59[0]));
  c61[0] = select(c59[0], -1.040000e+02f, (c60[0] != (char)0));
  c62[0] = select((char)0, (char)1, (8.900000e+01f < c61[0]));
  c63[0] = select(c61[0], 8.900000e+01f, (c62[0] != (char)0));
  c64[0] = fma(c63[0], 1.442695e+00f, (as_type<float>(1262485504)));
  c65[0] = (c64[0] - (as_type<float>(1262485504)));
  c66[0] = fma(c65[0], -6.931472e-01f, c63[0]);
  c67[0] = fma(c65[0], (as_type<float>(822272776)), c66[0]);
  c68[0] = fma((as_type<float>(984950938)), c67[0], 8.368669e-03f);
  c69[0] = fma(c68[0], c67[0], 4.166826e-02f);
  c70[0] = fma(c69[0], c67[0], (as_type<float>(1042983497)));
  c71[0] = fma(c70[0], c67[0], (as_type<float>(1056964606)));
  c72[0] = fma(c71[0], c67[0], 1.000000e+00f);
  c73[0] = fma(c72[0], c67[0], 1.000000e+00f);
  c74[0] = select(-3.000000e+02f, c65[0], (c65[0] > -3.000000e+02f));
  c75[0] = select(3.000000e+02f, c74[0], (c74[0] < 3.000000e+02f));
  c76[0] = ldexp(c73[0], ((int)c75[0]));
  c77[0] = (c33[0] + c76[0]);
  c78[0] = select(c33[0], c77[0], (c14[0] != (char)0));
  c79[0] = simd_sum(c78[0]);
  c80[0] = select((char)0, (char)1, (c79[0] < (as_type<float>(8388608))));
  c81[0] = (c79[0] * 8.388608e+06f);
  c82[0] = select(c79[0], c81[0], (c80[0] != (char)0));
  c83[0] = (as_type<uint>(c82[0]));
  c84[0] = (as_type<int>(c83[0]));
  c85[0] = ((int)(((uint)c84[0]) + (uint)3234528013));
  c86[0] = select((char)0, (char)1, ((uint)23 < (uint)32));
  c87[0] = select((uint)0, (uint)23, (c86[0] != (char)0));
  c88[0] = select(31, 23, (c86[0] != (char)0));
  c89[0] = (c85[0] >> c88[0]);
  c90[0] = select((char)0, (char)1, ((uint)23 < (uint)32));
  c91[0] = select((uint)0, (uint)23, (c90[0] != (char)0));
  c92[0] = ((uint)c89[0]);
  c93[0] = ((int)(c92[0] << c91[0]));
  c94[0] = select(0, c93[0], (c90[0] != (char)0));
  c95[0] = ((int)(((uint)c84[0]) - ((uint)c94[0])));
  c96[0] = (as_type<uint>(c95[0]));
  c97[0] = (as_type<float>(c96[0]));
  c98[0] = select(0, -23, (c80[0] != (char)0));
  c99[0] = select((char)0, (char)1, ((uint)23 < (uint)32));
  c100[0] = select((uint)0, (uint)23, (c99[0] != (char)0));
  c101[0] = select(31, 23, (c99[0] != (char)0));
  c102[0] = (c94[0] >> c101[0]);
  c103[0] = ((int)(((uint)c102[0]) + ((uint)c98[0])));
  c104[0] = (c97[0] - 1.000000e+00f);
  c105[0] = ((float)c103[0]);
  c106[0] = (c105[0] * (as_type<float>(-1325210872)));
  c107[0] = (c104[0] * c104[0]);
  c108[0] = fma((as_type<float>(-1113793000)), c104[0], 1.292980e-01f);
  c109[0] = fma(c108[0], c104[0], (as_type<float>(-1106799641)));
  c110[0] = fma(c109[0], c104[0], (as_type<float>(1041313101)));
  c111[0] = fma(c110[0], c104[0], -1.660887e-01f);
  c112[0] = fma(c111[0], c104[0], (as_type<float>(1045222037)));
  c113[0] = fma(c112[0], c104[0], (as_type<float>(-1098907110)));
  c114[0] = fma(c113[0], c104[0], (as_type<float>(1051372199)));
  c115[0] = fma(c114[0], c104[0], (as_type<float>(-1090519044)));
  c116[0] = fma(c107[0], c115[0], c106[0]);
  c117[0] = (c104[0] + c116[0]);
  c118[0] = fma(c105[0], 6.931472e-01f, c117[0]);
  c119[0] = select((char)0, (char)1, (c79[0] == 0.000000e+00f));
  c120[0] = select((as_type<float>(2143289344)), (as_type<float>(-8388608)), (c119[0] != (char)0));
  c121[0] = select((char)0, (char)1, (c79[0] < (as_type<float>(2139095040))));
  c122[0] = select(c79[0], c118[0], (c121[0] != (char)0));
  c123[0] = select((char)0, (char)1, (c79[0] <= 0.000000e+00f));
  c124[0] = select(c122[0], c120[0], (c123[0] != (char)0));
  c125[0] = (c32[0] - c29[0]);
  c126[0] = (c125[0] + c124[0]);
  if (lane1 == 0) {
    p_loss_ptr[group3] = c126[0];
  }
}


