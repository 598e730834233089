// Function: rms_norm_kernel_dc463a1c80ee_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void rms_norm_kernel_dc463a1c80ee_0_kernel(  device float* n_eps_ptr [[ buffer(0) ]],
  device float* p_weight_ptr [[ buffer(1) ]],
  device float* p_x_ptr [[ buffer(2) ]],
  device float* p_y_ptr [[ buffer(3) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float shared_partial01[2];
  thread float own_stripe02[16];
  thread int c5[1];
  thread int c6[1];
  thread float c7[1];
  thread int c9[1];
  thread int c10[1];
  thread int c11[1];
  thread int c12[1];
  thread int c13[1];
  thread int c14[1];
  thread int c15[1];
  thread int c16[1];
  thread int c17[1];
  thread float4 c18[1];
  thread float c19[1];
  thread float c20[1];
  thread float c21[1];
  thread int c22[1];
  thread float c23[1];
  thread float c24[1];
  thread float c25[1];
  thread int c26[1];
  thread float c27[1];
  thread float c28[1];
  thread float c29[1];
  thread int c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread float c34[1];
  thread char c35[1];
  thread float c36[1];
  thread float c37[1];
  thread float c38[1];
  thread float c39[1];
  thread float c40[1];
  thread float c41[1];
  thread float c42[1];
  thread int c43[1];
  thread int c45[1];
  thread int c46[1];
  thread int c47[1];
  thread int c48[1];
  thread int c49[1];
  thread int c50[1];
  thread int c51[1];
  thread int c52[1];
  thread int c53[1];
  thread int c54[1];
  thread int c55[1];
  thread float4 c56[1];
  thread float c57[1];
  thread float c58[1];
  thread float c59[1];
  thread float c60[1];
  thread int c61[1];
  thread float c62[1];
  thread float c63[1];
  thread float c64[1];
  thread float c65[1];
  thread int c66[1];
  thread float c67[1];
  thread float c68[1];
  thread float c69[1];
  thread float c70[1];
  thread int c71[1];
  thread float c72[1];
  thread float c73[1];
  thread float c74[1];
  thread float c75[1];
  thread int c76[1];
  thread int c77[1];
  int lane3 = (((int)threadIdx) & 31);
  int subgroup4 = (((int)threadIdx) >> 5);
  c5[0] = (subgroup4 * 128);
  c6[0] = (((int)blockIdx) * 1024);
  c7[0] = 0.000000e+00f;
  for (int i8 = 0; i8 < 4; ++i8) {
    c9[0] = (0 + i8);
    c10[0] = (c9[0] * 256);
    c11[0] = (c10[0] + c5[0]);
    c12[0] = (c9[0] * 4);
    c13[0] = (c12[0] + 1);
    c14[0] = (c12[0] + 2);
    c15[0] = (c12[0] + 3);
    c16[0] = (c6[0] + c11[0]);
    c17[0] = (c16[0] + (lane3 * 4));
    c18[0] = *(device float4*)(p_x_ptr + ((c17[0] >> 2) * 4));
    c19[0] = (c18[0])[0];
    own_stripe02[c12[0]] = c19[0];
    c20[0] = (c19[0] * c19[0]);
    c21[0] = (c7[0] + c20[0]);
    c22[0] = (c16[0] + 1);
    c23[0] = (c18[0])[1];
    own_stripe02[c13[0]] = c23[0];
    c24[0] = (c23[0] * c23[0]);
    c25[0] = (c21[0] + c24[0]);
    c26[0] = (c16[0] + 2);
    c27[0] = (c18[0])[2];
    own_stripe02[c14[0]] = c27[0];
    c28[0] = (c27[0] * c27[0]);
    c29[0] = (c25[0] + c28[0]);
    c30[0] = (c16[0] + 3);
    c31[0] = (c18[0])[3];
    own_stripe02[c15[0]] = c31[0];
    c32[0] = (c31[0] * c31[0]);
    c33[0] = (c29[0] + c32[0]);
    c7[0] = c33[0];
  }
  c34[0] = simd_sum(c7[0]);
  if (lane3 == 0) {
    shared_partial01[subgroup4] = c34[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c35[0] = select((char)0, (char)1, (lane3 < 2));
  float condval;
  if (c35[0] != (char)0) {
    condval = shared_partial01[lane3];
  } else {
    condval = 0.000000e+00f;
  }
  c36[0] = condval;
  c37[0] = simd_sum(c36[0]);
  c38[0] = n_eps_ptr[0];
  c39[0] = (c37[0] / 1.024000e+03f);
  c40[0] = (c39[0] + c38[0]);
  c41[0] = precise::sqrt(c40[0]);
  c42[0] = (1.000000e+00f / c41[0]);
  c43[0] = (((int)blockIdx) * 1024);
  for (int i44 = 0; i44 < 4; ++i44) {
    c45[0] = (0 + i44);
    c46[0] = (c45[0] * 256);
    c47[0] = (c46[0] + c5[0]);
    c48[0] = (c45[0] * 4);
    c49[0] = (c47[0] + 1);
    c50[0] = (c48[0] + 1);
    c51[0] = (c47[0] + 2);
    c52[0] = (c48[0] + 2);
    c53[0] = (c47[0] + 3);
    c54[0] = (c48[0] + 3);
    c55[0] = (c47[0] + (lane3 * 4));
    c56[0] = *(device float4*)(p_weight_ptr + ((c55[0] >> 2) * 4));
    c57[0] = (c56[0])[0];
    c58[0] = own_stripe02[c48[0]];
    c59[0] = (c58[0] * c42[0]);
    c60[0] = (c59[0] * c57[0]);
    c61[0] = (c43[0] + c47[0]);
    c62[0] = (c56[0])[1];
    c63[0] = own_stripe02[c50[0]];
    c64[0] = (c63[0] * c42[0]);
    c65[0] = (c64[0] * c62[0]);
    c66[0] = (c61[0] + 1);
    c67[0] = (c56[0])[2];
    c68[0] = own_stripe02[c52[0]];
    c69[0] = (c68[0] * c42[0]);
    c70[0] = (c69[0] * c67[0]);
    c71[0] = (c61[0] + 2);
    c72[0] = (c56[0])[3];
    c73[0] = own_stripe02[c54[0]];
    c74[0] = (c73[0] * c42[0]);
    c75[0] = (c74[0] * c72[0]);
    c76[0] = (c61[0] + 3);
    c77[0] = (c61[0] + (lane3 * 4));
    *(device float4*)(p_y_ptr + ((c77[0] >> 2) * 4)) = float4(c60[0], c65[0], c70[0], c75[0]);
  }
}


