// Function: layer_norm_kernel_66f96c68e4a1_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_66f96c68e4a1_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_bias_ptr [[ buffer(1) ]],
  device float* p_weight_ptr [[ buffer(2) ]],
  device float* p_x_ptr [[ buffer(3) ]],
  device float* p_y_ptr [[ buffer(4) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float shared_partial01[2];
  threadgroup float shared_partial12[2];
  thread float own_stripe03[64];
  thread long c7[1];
  thread float c8[1];
  thread long c9[1];
  thread long c10[1];
  thread float c11[1];
  thread long c13[1];
  thread long c14[1];
  thread long c15[1];
  thread long c16[1];
  thread long c17[1];
  thread long c18[1];
  thread long c19[1];
  thread long c20[1];
  thread long c21[1];
  thread float4 c22[1];
  thread float c23[1];
  thread float c24[1];
  thread float c25[1];
  thread long c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread long c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread long c34[1];
  thread float c35[1];
  thread float c36[1];
  thread float c37[1];
  thread float c38[1];
  thread long c39[1];
  thread char c40[1];
  thread float c41[1];
  thread float c42[1];
  thread float c43[1];
  thread float c44[1];
  thread float c45[1];
  thread long c47[1];
  thread long c48[1];
  thread long c49[1];
  thread long c50[1];
  thread long c51[1];
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
  thread float c73[1];
  thread float c74[1];
  thread float c75[1];
  thread float c76[1];
  thread float c77[1];
  thread float c78[1];
  thread float c79[1];
  thread long c80[1];
  thread long c82[1];
  thread long c83[1];
  thread long c84[1];
  thread long c85[1];
  thread long c86[1];
  thread long c87[1];
  thread long c88[1];
  thread long c89[1];
  thread long c90[1];
  thread long c91[1];
  thread long c92[1];
  thread float4 c93[1];
  thread float c94[1];
  thread long c95[1];
  thread float4 c96[1];
  thread float c97[1];
  thread float c98[1];
  thread float c99[1];
  thread float c100[1];
  thread float c101[1];
  thread float c102[1];
  thread float c103[1];
  thread long c104[1];
  thread float c105[1];
  thread float c106[1];
  thread float c107[1];
  thread float c108[1];
  thread float c109[1];
  thread float c110[1];
  thread float c111[1];
  thread float c112[1];
  thread long c113[1];
  thread float c114[1];
  thread float c115[1];
  thread float c116[1];
  thread float c117[1];
  thread float c118[1];
  thread float c119[1];
  thread float c120[1];
  thread float c121[1];
  thread long c122[1];
  thread float c123[1];
  thread float c124[1];
  thread float c125[1];
  thread float c126[1];
  thread float c127[1];
  thread float c128[1];
  thread float c129[1];
  thread float c130[1];
  thread long c131[1];
  thread long c132[1];
  int lane4 = (((int)threadIdx) & 31);
  int subgroup5 = (((int)threadIdx) >> 5);
  long group6 = ((long)((int)blockIdx));
  c7[0] = (group6 * (long)4096);
  c8[0] = p_x_ptr[c7[0]];
  c9[0] = ((long)subgroup5);
  c10[0] = (c9[0] * (long)128);
  c11[0] = 0.000000e+00f;
  for (long i12 = (long)0; i12 < (long)16; ++i12) {
    c13[0] = ((long)0 + i12);
    c14[0] = (c13[0] * (long)256);
    c15[0] = (c14[0] + c10[0]);
    c16[0] = (c13[0] * (long)4);
    c17[0] = (c16[0] + (long)1);
    c18[0] = (c16[0] + (long)2);
    c19[0] = (c16[0] + (long)3);
    c20[0] = (c7[0] + c15[0]);
    c21[0] = (c20[0] + (((long)lane4) * (long)4));
    c22[0] = *(device float4*)(p_x_ptr + ((c21[0] >> (long)2) * (long)4));
    c23[0] = (c22[0])[0];
    own_stripe03[c16[0]] = c23[0];
    c24[0] = (c23[0] - c8[0]);
    c25[0] = (c11[0] + c24[0]);
    c26[0] = (c20[0] + (long)1);
    c27[0] = (c22[0])[1];
    own_stripe03[c17[0]] = c27[0];
    c28[0] = (c27[0] - c8[0]);
    c29[0] = (c25[0] + c28[0]);
    c30[0] = (c20[0] + (long)2);
    c31[0] = (c22[0])[2];
    own_stripe03[c18[0]] = c31[0];
    c32[0] = (c31[0] - c8[0]);
    c33[0] = (c29[0] + c32[0]);
    c34[0] = (c20[0] + (long)3);
    c35[0] = (c22[0])[3];
    own_stripe03[c19[0]] = c35[0];
    c36[0] = (c35[0] - c8[0]);
    c37[0] = (c33[0] + c36[0]);
    c11[0] = c37[0];
  }
  c38[0] = simd_sum(c11[0]);
  if (lane4 == 0) {
    shared_partial01[c9[0]] = c38[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c39[0] = ((long)lane4);
  c40[0] = select((char)0, (char)1, (c39[0] < (long)2));
  float condval;
  if (c40[0] != (char)0) {
    condval = shared_partial01[c39[0]];
  } else {
    condval = 0.000000e+00f;
  }
  c41[0] = condval;
  c42[0] = simd_sum(c41[0]);
  c43[0] = (c42[0] / 4.096000e+03f);
  c44[0] = (-0.000000e+00f - c8[0]);
  c45[0] = 0.000000e+00f;
  for (long i46 = (long)0; i46 < (long)16; ++i46) {
    c47[0] = ((long)0 + i46);
    c48[0] = (c47[0] * (long)4);
    c49[0] = (c48[0] + (long)1);
    c50[0] = (c48[0] + (long)2);
    c51[0] = (c48[0] + (long)3);
    c52[0] = own_stripe03[c48[0]];
    c53[0] = fma(c52[0], 1.000000e+00f, c44[0]);
    c54[0] = (c53[0] - c43[0]);
    c55[0] = (c54[0] * c54[0]);
    c56[0] = (c45[0] + c55[0]);
    c57[0] = own_stripe03[c49[0]];
    c58[0] = fma(c57[0], 1.000000e+00f, c44[0]);
    c59[0] = (c58[0] - c43[0]);
    c60[0] = (c59[0] * c59[0]);
    c61[0] = (c56[0] + c60[0]);
    c62[0] = own_stripe03[c50[0]];
    c63[0] = fma(c62[0], 1.000000e+00f, c44[0]);
    c64[0] = (c63[0] - c43[0]);
    c65[0] = (c64[0] * c64[0]);
    c66[0] = (c61[0] + c65[0]);
    c67[0] = own_stripe03[c51[0]];
    c68[0] = fma(c67[0], 1.000000e+00f, c44[0]);
    c69[0] = (c68[0] - c43[0]);
    c70[0] = (c69[0] * c69[0]);
    c71[0] = (c66[0] + c70[0]);
    c45[0] = c71[0];
  }
  c72[0] = simd_sum(c45[0]);
  if (lane4 == 0) {
    shared_partial12[c9[0]] = c72[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float condval_1;
  if (c40[0] != (char)0) {
    condval_1 = shared_partial12[c39[0]];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c73[0] = condval_1;
  c74[0] = simd_sum(c73[0]);
  c75[0] = n_eps_ptr[0];
  c76[0] = (c74[0] / 4.096000e+03f);
  c77[0] = (c76[0] + c75[0]);
  c78[0] = precise::sqrt(c77[0]);
  c79[0] = (1.000000e+00f / c78[0]);
  c80[0] = (group6 * (long)4096);
  for (long i81 = (long)0; i81 < (long)16; ++i81) {
    c82[0] = ((long)0 + i81);
    c83[0] = (c82[0] * (long)256);
    c84[0] = (c83[0] + c10[0]);
    c85[0] = (c82[0] * (long)4);
    c86[0] = (c84[0] + (long)1);
    c87[0] = (c85[0] + (long)1);
    c88[0] = (c84[0] + (long)2);
    c89[0] = (c85[0] + (long)2);
    c90[0] = (c84[0] + (long)3);
    c91[0] = (c85[0] + (long)3);
    c92[0] = (c84[0] + (((long)lane4) * (long)4));
    c93[0] = *(device float4*)(p_bias_ptr + ((c92[0] >> (long)2) * (long)4));
    c94[0] = (c93[0])[0];
    c95[0] = (c84[0] + (((long)lane4) * (long)4));
    c96[0] = *(device float4*)(p_weight_ptr + ((c95[0] >> (long)2) * (long)4));
    c97[0] = (c96[0])[0];
    c98[0] = own_stripe03[c85[0]];
    c99[0] = fma(c98[0], 1.000000e+00f, c44[0]);
    c100[0] = (c99[0] - c43[0]);
    c101[0] = (c100[0] * c79[0]);
    c102[0] = (c101[0] * c97[0]);
    c103[0] = (c102[0] + c94[0]);
    c104[0] = (c80[0] + c84[0]);
    c105[0] = (c93[0])[1];
    c106[0] = (c96[0])[1];
    c107[0] = own_stripe03[c87[0]];
    c108[0] = fma(c107[0], 1.000000e+00f, c44[0]);
    c109[0] = (c108[0] - c43[0]);
    c110[0] = (c109[0] * c79[0]);
    c111[0] = (c110[0] * c106[0]);
    c112[0] = (c111[0] + c105[0]);
    c113[0] = (c104[0] + (long)1);
    c114[0] = (c93[0])[2];
    c115[0] = (c96[0])[2];
    c116[0] = own_stripe03[c89[0]];
    c117[0] = fma(c116[0], 1.000000e+00f, c44[0]);
    c118[0] = (c117[0] - c43[0]);
    c119[0] = (c118[0] * c79[0]);
    c120[0] = (c119[0] * c115[0]);
    c121[0] = (c120[0] + c114[0]);
    c122[0] = (c104[0] + (long)2);
    c123[0] = (c93[0])[3];
    c124[0] = (c96[0])[3];
    c125[0] = own_stripe03[c91[0]];
    c126[0] = fma(c125[0], 1.000000e+00f, c44[0]);
    c127[0] = (c126[0] - c43[0]);
    c128[0] = (c127[0] * c79[0]);
    c129[0] = (c128[0] * c124[0]);
    c130[0] = (c129[0] + c123[0]);
    c131[0] = (c104[0] + (long)3);
    c132[0] = (c104[0] + (((long)lane4) * (long)4));
    *(device float4*)(p_y_ptr + ((c132[0] >> (long)2) * (long)4)) = float4(c103[0], c112[0], c121[0], c130[0]);
  }
}


