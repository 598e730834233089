// Function: layer_norm_kernel_7e63453e29e0_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_7e63453e29e0_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_bias_ptr [[ buffer(1) ]],
  device float* p_residual_ptr [[ buffer(2) ]],
  device float* p_weight_ptr [[ buffer(3) ]],
  device float* p_x_ptr [[ buffer(4) ]],
  device float* p_y_ptr [[ buffer(5) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float shared_partial01[2];
  threadgroup float shared_partial12[2];
  thread float own_stripe03[16];
  thread float own_stripe14[16];
  thread int c7[1];
  thread float c8[1];
  thread int c9[1];
  thread float c10[1];
  thread float c11[1];
  thread int c12[1];
  thread float c13[1];
  thread int c15[1];
  thread int c16[1];
  thread int c17[1];
  thread int c18[1];
  thread int c19[1];
  thread int c20[1];
  thread int c21[1];
  thread int c22[1];
  thread int c23[1];
  thread float4 c24[1];
  thread float c25[1];
  thread int c26[1];
  thread int c27[1];
  thread float4 c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread int c33[1];
  thread float c34[1];
  thread int c35[1];
  thread float c36[1];
  thread float c37[1];
  thread float c38[1];
  thread float c39[1];
  thread int c40[1];
  thread float c41[1];
  thread int c42[1];
  thread float c43[1];
  thread float c44[1];
  thread float c45[1];
  thread float c46[1];
  thread int c47[1];
  thread float c48[1];
  thread int c49[1];
  thread float c50[1];
  thread float c51[1];
  thread float c52[1];
  thread float c53[1];
  thread float c54[1];
  thread char c55[1];
  thread float c56[1];
  thread float c57[1];
  thread float c58[1];
  thread float c59[1];
  thread float c60[1];
  thread int c62[1];
  thread int c63[1];
  thread int c64[1];
  thread int c65[1];
  thread int c66[1];
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
  thread float c80[1];
  thread float c81[1];
  thread float c82[1];
  thread float c83[1];
  thread float c84[1];
  thread float c85[1];
  thread float c86[1];
  thread float c87[1];
  thread float c88[1];
  thread float c89[1];
  thread float c90[1];
  thread float c91[1];
  thread float c92[1];
  thread float c93[1];
  thread float c94[1];
  thread int c95[1];
  thread int c97[1];
  thread int c98[1];
  thread int c99[1];
  thread int c100[1];
  thread int c101[1];
  thread int c102[1];
  thread int c103[1];
  thread int c104[1];
  thread int c105[1];
  thread int c106[1];
  thread int c107[1];
  thread float4 c108[1];
  thread float c109[1];
  thread int c110[1];
  thread float4 c111[1];
  thread float c112[1];
  thread float c113[1];
  thread float c114[1];
  thread float c115[1];
  thread float c116[1];
  thread int c117[1];
  thread float c118[1];
  thread float c119[1];
  thread float c120[1];
  thread float c121[1];
  thread float c122[1];
  thread float c123[1];
  thread int c124[1];
  thread float c125[1];
  thread float c126[1];
  thread float c127[1];
  thread float c128[1];
  thread float c129[1];
  thread float c130[1];
  thread int c131[1];
  thread float c132[1];
  thread float c133[1];
  thread float c134[1];
  thread float c135[1];
  thread float c136[1];
  thread float c137[1];
  thread int c138[1];
  thread int c139[1];
  int lane5 = (((int)threadIdx) & 31);
  int subgroup6 = (((int)threadIdx) >> 5);
  c7[0] = (((int)blockIdx) * 1024);
  c8[0] = p_residual_ptr[c7[0]];
  c9[0] = (((int)blockIdx) * 1024);
  c10[0] = p_x_ptr[c9[0]];
  c11[0] = (c10[0] + c8[0]);
  c12[0] = (subgroup6 * 128);
  c13[0] = 0.000000e+00f;
  for (int i14 = 0; i14 < 4; ++i14) {
    c15[0] = (0 + i14);
    c16[0] = (c15[0] * 256);
    c17[0] = (c16[0] + c12[0]);
    c18[0] = (c15[0] * 4);
    c19[0] = (c18[0] + 1);
    c20[0] = (c18[0] + 2);
    c21[0] = (c18[0] + 3);
    c22[0] = (c9[0] + c17[0]);
    c23[0] = (c22[0] + (lane5 * 4));
    c24[0] = *(device float4*)(p_x_ptr + ((c23[0] >> 2) * 4));
    c25[0] = (c24[0])[0];
    c26[0] = (c7[0] + c17[0]);
    c27[0] = (c26[0] + (lane5 * 4));
    c28[0] = *(device float4*)(p_residual_ptr + ((c27[0] >> 2) * 4));
    c29[0] = (c28[0])[0];
    c30[0] = (c25[0] + c29[0]);
    own_stripe03[c18[0]] = c30[0];
    c31[0] = (c30[0] - c11[0]);
    c32[0] = (c13[0] + c31[0]);
    c33[0] = (c22[0] + 1);
    c34[0] = (c24[0])[1];
    c35[0] = (c26[0] + 1);
    c36[0] = (c28[0])[1];
    c37[0] = (c34[0] + c36[0]);
    own_stripe03[c19[0]] = c37[0];
    c38[0] = (c37[0] - c11[0]);
    c39[0] = (c32[0] + c38[0]);
    c40[0] = (c22[0] + 2);
    c41[0] = (c24[0])[2];
    c42[0] = (c26[0] + 2);
    c43[0] = (c28[0])[2];
    c44[0] = (c41[0] + c43[0]);
    own_stripe03[c20[0]] = c44[0];
    c45[0] = (c44[0] - c11[0]);
    c46[0] = (c39[0] + c45[0]);
    c47[0] = (c22[0] + 3);
    c48[0] = (c24[0])[3];
    c49[0] = (c26[0] + 3);
    c50[0] = (c28[0])[3];
    c51[0] = (c48[0] + c50[0]);
    own_stripe03[c21[0]] = c51[0];
    c52[0] = (c51[0] - c11[0]);
    c53[0] = (c46[0] + c52[0]);
    c13[0] = c53[0];
  }
  c54[0] = simd_sum(c13[0]);
  if (lane5 == 0) {
    shared_partial01[subgroup6] = c54[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c55[0] = select((char)0, (char)1, (lane5 < 2));
  float condval;
  if (c55[0] != (char)0) {
    condval = shared_partial01[lane5];
  } else {
    condval = 0.000000e+00f;
  }
  c56[0] = condval;
  c57[0] = simd_sum(c56[0]);
  c58[0] = (c57[0] / 1.024000e+03f);
  c59[0] = (-0.000000e+00f - c11[0]);
  c60[0] = 0.000000e+00f;
  for (int i61 = 0; i61 < 4; ++i61) {
    c62[0] = (0 + i61);
    c63[0] = (c62[0] * 4);
    c64[0] = (c63[0] + 1);
    c65[0] = (c63[0] + 2);
    c66[0] = (c63[0] + 3);
    c67[0] = own_stripe03[c63[0]];
    c68[0] = fma(c67[0], 1.000000e+00f, c59[0]);
    c69[0] = (c68[0] - c58[0]);
    own_stripe14[c63[0]] = c69[0];
    c70[0] = (c69[0] * c69[0]);
    c71[0] = (c60[0] + c70[0]);
    c72[0] = own_stripe03[c64[0]];
    c73[0] = fma(c72[0], 1.000000e+00f, c59[0]);
    c74[0] = (c73[0] - c58[0]);
    own_stripe14[c64[0]] = c74[0];
    c75[0] = (c74[0] * c74[0]);
    c76[0] = (c71[0] + c75[0]);
    c77[0] = own_stripe03[c65[0]];
    c78[0] = fma(c77[0], 1.000000e+00f, c59[0]);
    c79[0] = (c78[0] - c58[0]);
    own_stripe14[c65[0]] = c79[0];
    c80[0] = (c79[0] * c79[0]);
    c81[0] = (c76[0] + c80[0]);
    c82[0] = own_stripe03[c66[0]];
    c83[0] = fma(c82[0], 1.000000e+00f, c59[0]);
    c84[0] = (c83[0] - c58[0]);
    own_stripe14[c66[0]] = c84[0];
    c85[0] = (c84[0] * c84[0]);
    c86[0] = (c81[0] + c85[0]);
    c60[0] = c86[0];
  }
  c87[0] = simd_sum(c60[0]);
  if (lane5 == 0) {
    shared_partial12[subgroup6] = c87[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float condval_1;
  if (c55[0] != (char)0) {
    condval_1 = shared_partial12[lane5];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c88[0] = condval_1;
  c89[0] = simd_sum(c88[0]);
  c90[0] = n_eps_ptr[0];
  c91[0] = (c89[0] / 1.024000e+03f);
  c92[0] = (c91[0] + c90[0]);
  c93[0] = precise::sqrt(c92[0]);
  c94[0] = (1.000000e+00f / c93[0]);
  c95[0] = (((int)blockIdx) * 1024);
  for (int i96 = 0; i96 < 4; ++i96) {
    c97[0] = (0 + i96);
    c98[0] = (c97[0] * 256);
    c99[0] = (c98[0] + c12[0]);
    c100[0] = (c97[0] * 4);
    c101[0] = (c99[0] + 1);
    c102[0] = (c100[0] + 1);
    c103[0] = (c99[0] + 2);
    c104[0] = (c100[0] + 2);
    c105[0] = (c99[0] + 3);
    c106[0] = (c100[0] + 3);
    c107[0] = (c99[0] + (lane5 * 4));
    c108[0] = *(device float4*)(p_bias_ptr + ((c107[0] >> 2) * 4));
    c109[0] = (c108[0])[0];
    c110[0] = (c99[0] + (lane5 * 4));
    c111[0] = *(device float4*)(p_weight_ptr + ((c110[0] >> 2) * 4));
    c112[0] = (c111[0])[0];
    c113[0] = own_stripe14[c100[0]];
    c114[0] = (c113[0] * c94[0]);
    c115[0] = (c114[0] * c112[0]);
    c116[0] = (c115[0] + c109[0]);
    c117[0] = (c95[0] + c99[0]);
    c118[0] = (c108[0])[1];
    c119[0] = (c111[0])[1];
    c120[0] = own_stripe14[c102[0]];
    c121[0] = (c120[0] * c94[0]);
    c122[0] = (c121[0] * c119[0]);
    c123[0] = (c122[0] + c118[0]);
    c124[0] = (c117[0] + 1);
    c125[0] = (c108[0])[2];
    c126[0] = (c111[0])[2];
    c127[0] = own_stripe14[c104[0]];
    c128[0] = (c127[0] * c94[0]);
    c129[0] = (c128[0] * c126[0]);
    c130[0] = (c129[0] + c125[0]);
    c131[0] = (c117[0] + 2);
    c132[0] = (c108[0])[3];
    c133[0] = (c111[0])[3];
    c134[0] = own_stripe14[c106[0]];
    c135[0] = (c134[0] * c94[0]);
    c136[0] = (c135[0] * c133[0]);
    c137[0] = (c136[0] + c132[0]);
    c138[0] = (c117[0] + 3);
    c139[0] = (c117[0] + (lane5 * 4));
    *(device float4*)(p_y_ptr + ((c139[0] >> 2) * 4)) = float4(c116[0], c123[0], c130[0], c137[0]);
  }
}


