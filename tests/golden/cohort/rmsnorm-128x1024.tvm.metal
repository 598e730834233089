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
  thread float own_stripe01[32];
  thread long c5[1];
  thread float c6[1];
  thread long c8[1];
  thread long c9[1];
  thread long c10[1];
  thread long c11[1];
  thread long c12[1];
  thread long c13[1];
  thread long c14[1];
  thread long c15[1];
  thread float4 c16[1];
  thread float c17[1];
  thread float c18[1];
  thread float c19[1];
  thread long c20[1];
  thread float c21[1];
  thread float c22[1];
  thread float c23[1];
  thread long c24[1];
  thread float c25[1];
  thread float c26[1];
  thread float c27[1];
  thread long c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread float c34[1];
  thread float c35[1];
  thread float c36[1];
  thread float c37[1];
  thread long c38[1];
  thread long c40[1];
  thread long c41[1];
  thread long c42[1];
  thread long c43[1];
  thread long c44[1];
  thread long c45[1];
  thread long c46[1];
  thread long c47[1];
  thread long c48[1];
  thread long c49[1];
  thread float4 c50[1];
  thread float c51[1];
  thread float c52[1];
  thread float c53[1];
  thread float c54[1];
  thread long c55[1];
  thread float c56[1];
  thread float c57[1];
  thread float c58[1];
  thread float c59[1];
  thread long c60[1];
  thread float c61[1];
  thread float c62[1];
  thread float c63[1];
  thread float c64[1];
  thread long c65[1];
  thread float c66[1];
  thread float c67[1];
  thread float c68[1];
  thread float c69[1];
  thread long c70[1];
  thread long c71[1];
  int lane2 = (((int)threadIdx) & 31);
  int subgroup3 = (((int)threadIdx) >> 5);
  long group4 = ((long)((int)blockIdx));
  c5[0] = (group4 * (long)1024);
  c6[0] = 0.000000e+00f;
  for (long i7 = (long)0; i7 < (long)8; ++i7) {
    c8[0] = ((long)0 + i7);
    c9[0] = (c8[0] * (long)128);
    c10[0] = (c8[0] * (long)4);
    c11[0] = (c10[0] + (long)1);
    c12[0] = (c10[0] + (long)2);
    c13[0] = (c10[0] + (long)3);
    c14[0] = (c5[0] + c9[0]);
    c15[0] = (c14[0] + (((long)lane2) * (long)4));
    c16[0] = *(device float4*)(p_x_ptr + ((c15[0] >> (long)2) * (long)4));
    c17[0] = (c16[0])[0];
    own_stripe01[c10[0]] = c17[0];
    c18[0] = (c17[0] * c17[0]);
    c19[0] = (c6[0] + c18[0]);
    c20[0] = (c14[0] + (long)1);
    c21[0] = (c16[0])[1];
    own_stripe01[c11[0]] = c21[0];
    c22[0] = (c21[0] * c21[0]);
    c23[0] = (c19[0] + c22[0]);
    c24[0] = (c14[0] + (long)2);
    c25[0] = (c16[0])[2];
    own_stripe01[c12[0]] = c25[0];
    c26[0] = (c25[0] * c25[0]);
    c27[0] = (c23[0] + c26[0]);
    c28[0] = (c14[0] + (long)3);
    c29[0] = (c16[0])[3];
    own_stripe01[c13[0]] = c29[0];
    c30[0] = (c29[0] * c29[0]);
    c31[0] = (c27[0] + c30[0]);
    c6[0] = c31[0];
  }
  c32[0] = simd_sum(c6[0]);
  c33[0] = n_eps_ptr[0];
  c34[0] = (c32[0] / 1.024000e+03f);
  c35[0] = (c34[0] + c33[0]);
  c36[0] = precise::sqrt(c35[0]);
  c37[0] = (1.000000e+00f / c36[0]);
  c38[0] = (group4 * (long)1024);
  for (long i39 = (long)0; i39 < (long)8; ++i39) {
    c40[0] = ((long)0 + i39);
    c41[0] = (c40[0] * (long)128);
    c42[0] = (c40[0] * (long)4);
    c43[0] = (c41[0] + (long)1);
    c44[0] = (c42[0] + (long)1);
    c45[0] = (c41[0] + (long)2);
    c46[0] = (c42[0] + (long)2);
    c47[0] = (c41[0] + (long)3);
    c48[0] = (c42[0] + (long)3);
    c49[0] = (c41[0] + (((long)lane2) * (long)4));
    c50[0] = *(device float4*)(p_weight_ptr + ((c49[0] >> (long)2) * (long)4));
    c51[0] = (c50[0])[0];
    c52[0] = own_stripe01[c42[0]];
    c53[0] = (c52[0] * c37[0]);
    c54[0] = (c53[0] * c51[0]);
    c55[0] = (c38[0] + c41[0]);
    c56[0] = (c50[0])[1];
    c57[0] = own_stripe01[c44[0]];
    c58[0] = (c57[0] * c37[0]);
    c59[0] = (c58[0] * c56[0]);
    c60[0] = (c55[0] + (long)1);
    c61[0] = (c50[0])[2];
    c62[0] = own_stripe01[c46[0]];
    c63[0] = (c62[0] * c37[0]);
    c64[0] = (c63[0] * c61[0]);
    c65[0] = (c55[0] + (long)2);
    c66[0] = (c50[0])[3];
    c67[0] = own_stripe01[c48[0]];
    c68[0] = (c67[0] * c37[0]);
    c69[0] = (c68[0] * c66[0]);
    c70[0] = (c55[0] + (long)3);
    c71[0] = (c55[0] + (((long)lane2) * (long)4));
    *(device float4*)(p_y_ptr + ((c71[0] >> (long)2) * (long)4)) = float4(c54[0], c59[0], c64[0], c69[0]);
  }
}


