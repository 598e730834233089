// Function: layer_norm_kernel_3ccb037f802b_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void layer_norm_kernel_3ccb037f802b_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_bias_ptr [[ buffer(1) ]],
  device float* p_weight_ptr [[ buffer(2) ]],
  device float* p_x_ptr [[ buffer(3) ]],
  device float* p_y_ptr [[ buffer(4) ]],
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
  thread int c12[1];
  thread int c13[1];
  thread int c14[1];
  thread int c15[1];
  thread int c16[1];
  thread int c17[1];
  thread int c18[1];
  thread int c19[1];
  thread int c20[1];
  thread float4 c21[1];
  thread float c22[1];
  thread float c23[1];
  thread float c24[1];
  thread int c25[1];
  thread float c26[1];
  thread float c27[1];
  thread float c28[1];
  thread int c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread int c33[1];
  thread float c34[1];
  thread float c35[1];
  thread float c36[1];
  thread float c37[1];
  thread char c38[1];
  thread float c39[1];
  thread float c40[1];
  thread float c41[1];
  thread float c42[1];
  thread float c43[1];
  thread int c45[1];
  thread int c46[1];
  thread int c47[1];
  thread int c48[1];
  thread int c49[1];
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
  thread int c78[1];
  thread int c80[1];
  thread int c81[1];
  thread int c82[1];
  thread int c83[1];
  thread int c84[1];
  thread int c85[1];
  thread int c86[1];
  thread int c87[1];
  thread int c88[1];
  thread int c89[1];
  thread int c90[1];
  thread float4 c91[1];
  thread float c92[1];
  thread int c93[1];
  thread float4 c94[1];
  thread float c95[1];
  thread float c96[1];
  thread float c97[1];
  thread float c98[1];
  thread float c99[1];
  thread int c100[1];
  thread float c101[1];
  thread float c102[1];
  thread float c103[1];
  thread float c104[1];
  thread float c105[1];
  thread float c106[1];
  thread int c107[1];
  thread float c108[1];
  thread float c109[1];
  thread float c110[1];
  thread float c111[1];
  thread float c112[1];
  thread float c113[1];
  thread int c114[1];
  thread float c115[1];
  thread float c116[1];
  thread float c117[1];
  thread float c118[1];
  thread float c119[1];
  thread float c120[1];
  thread int c121[1];
  thread int c122[1];
  int lane5 = (((int)threadIdx) & 31);
  int subgroup6 = (((int)threadIdx) >> 5);
  c7[0] = (((int)blockIdx) * 1024);
  c8[0] = p_x_ptr[c7[0]];
  c9[0] = (subgroup6 * 128);
  c10[0] = 0.000000e+00f;
  for (int i11 = 0; i11 < 4; ++i11) {
    c12[0] = (0 + i11);
    c13[0] = (c12[0] * 256);
    c14[0] = (c13[0] + c9[0]);
    c15[0] = (c12[0] * 4);
    c16[0] = (c15[0] + 1);
    c17[0] = (c15[0] + 2);
    c18[0] = (c15[0] + 3);
    c19[0] = (c7[0] + c14[0]);
    c20[0] = (c19[0] + (lane5 * 4));
    c21[0] = *(device float4*)(p_x_ptr + ((c20[0] >> 2) * 4));
    c22[0] = (c21[0])[0];
    own_stripe03[c15[0]] = c22[0];
    c23[0] = (c22[0] - c8[0]);
    c24[0] = (c10[0] + c23[0]);
    c25[0] = (c19[0] + 1);
    c26[0] = (c21[0])[1];
    own_stripe03[c16[0]] = c26[0];
    c27[0] = (c26[0] - c8[0]);
    c28[0] = (c24[0] + c27[0]);
    c29[0] = (c19[0] + 2);
    c30[0] = (c21[0])[2];
    own_stripe03[c17[0]] = c30[0];
    c31[0] = (c30[0] - c8[0]);
    c32[0] = (c28[0] + c31[0]);
    c33[0] = (c19[0] + 3);
    c34[0] = (c21[0])[3];
    own_stripe03[c18[0]] = c34[0];
    c35[0] = (c34[0] - c8[0]);
    c36[0] = (c32[0] + c35[0]);
    c10[0] = c36[0];
  }
  c37[0] = simd_sum(c10[0]);
  if (lane5 == 0) {
    shared_partial01[subgroup6] = c37[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c38[0] = select((char)0, (char)1, (lane5 < 2));
  float condval;
  if (c38[0] != (char)0) {
    condval = shared_partial01[lane5];
  } else {
    condval = 0.000000e+00f;
  }
  c39[0] = condval;
  c40[0] = simd_sum(c39[0]);
  c41[0] = (c40[0] / 1.024000e+03f);
  c42[0] = (-0.000000e+00f - c8[0]);
  c43[0] = 0.000000e+00f;
  for (int i44 = 0; i44 < 4; ++i44) {
    c45[0] = (0 + i44);
    c46[0] = (c45[0] * 4);
    c47[0] = (c46[0] + 1);
    c48[0] = (c46[0] + 2);
    c49[0] = (c46[0] + 3);
    c50[0] = own_stripe03[c46[0]];
    c51[0] = fma(c50[0], 1.000000e+00f, c42[0]);
    c52[0] = (c51[0] - c41[0]);
    own_stripe14[c46[0]] = c52[0];
    c53[0] = (c52[0] * c52[0]);
    c54[0] = (c43[0] + c53[0]);
    c55[0] = own_stripe03[c47[0]];
    c56[0] = fma(c55[0], 1.000000e+00f, c42[0]);
    c57[0] = (c56[0] - c41[0]);
    own_stripe14[c47[0]] = c57[0];
    c58[0] = (c57[0] * c57[0]);
    c59[0] = (c54[0] + c58[0]);
    c60[0] = own_stripe03[c48[0]];
    c61[0] = fma(c60[0], 1.000000e+00f, c42[0]);
    c62[0] = (c61[0] - c41[0]);
    own_stripe14[c48[0]] = c62[0];
    c63[0] = (c62[0] * c62[0]);
    c64[0] = (c59[0] + c63[0]);
    c65[0] = own_stripe03[c49[0]];
    c66[0] = fma(c65[0], 1.000000e+00f, c42[0]);
    c67[0] = (c66[0] - c41[0]);
    own_stripe14[c49[0]] = c67[0];
    c68[0] = (c67[0] * c67[0]);
    c69[0] = (c64[0] + c68[0]);
    c43[0] = c69[0];
  }
  c70[0] = simd_sum(c43[0]);
  if (lane5 == 0) {
    shared_partial12[subgroup6] = c70[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float condval_1;
  if (c38[0] != (char)0) {
    condval_1 = shared_partial12[lane5];
  } else {
    condval_1 = 0.000000e+00f;
  }
  c71[0] = condval_1;
  c72[0] = simd_sum(c71[0]);
  c73[0] = n_eps_ptr[0];
  c74[0] = (c72[0] / 1.024000e+03f);
  c75[0] = (c74[0] + c73[0]);
  c76[0] = precise::sqrt(c75[0]);
  c77[0] = (1.000000e+00f / c76[0]);
  c78[0] = (((int)blockIdx) * 1024);
  for (int i79 = 0; i79 < 4; ++i79) {
    c80[0] = (0 + i79);
    c81[0] = (c80[0] * 256);
    c82[0] = (c81[0] + c9[0]);
    c83[0] = (c80[0] * 4);
    c84[0] = (c82[0] + 1);
    c85[0] = (c83[0] + 1);
    c86[0] = (c82[0] + 2);
    c87[0] = (c83[0] + 2);
    c88[0] = (c82[0] + 3);
    c89[0] = (c83[0] + 3);
    c90[0] = (c82[0] + (lane5 * 4));
    c91[0] = *(device float4*)(p_bias_ptr + ((c90[0] >> 2) * 4));
    c92[0] = (c91[0])[0];
    c93[0] = (c82[0] + (lane5 * 4));
    c94[0] = *(device float4*)(p_weight_ptr + ((c93[0] >> 2) * 4));
    c95[0] = (c94[0])[0];
    c96[0] = own_stripe14[c83[0]];
    c97[0] = (c96[0] * c77[0]);
    c98[0] = (c97[0] * c95[0]);
    c99[0] = (c98[0] + c92[0]);
    c100[0] = (c78[0] + c82[0]);
    c101[0] = (c91[0])[1];
    c102[0] = (c94[0])[1];
    c103[0] = own_stripe14[c85[0]];
    c104[0] = (c103[0] * c77[0]);
    c105[0] = (c104[0] * c102[0]);
    c106[0] = (c105[0] + c101[0]);
    c107[0] = (c100[0] + 1);
    c108[0] = (c91[0])[2];
    c109[0] = (c94[0])[2];
    c110[0] = own_stripe14[c87[0]];
    c111[0] = (c110[0] * c77[0]);
    c112[0] = (c111[0] * c109[0]);
    c113[0] = (c112[0] + c108[0]);
    c114[0] = (c100[0] + 2);
    c115[0] = (c91[0])[3];
    c116[0] = (c94[0])[3];
    c117[0] = own_stripe14[c89[0]];
    c118[0] = (c117[0] * c77[0]);
    c119[0] = (c118[0] * c116[0]);
    c120[0] = (c119[0] + c115[0]);
    c121[0] = (c100[0] + 3);
    c122[0] = (c100[0] + (lane5 * 4));
    *(device float4*)(p_y_ptr + ((c122[0] >> 2) * 4)) = float4(c99[0], c106[0], c113[0], c120[0]);
  }
}


