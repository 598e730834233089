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
  thread int c4[1];
  thread float c5[1];
  thread int c7[1];
  thread int c8[1];
  thread int c9[1];
  thread int c10[1];
  thread int c11[1];
  thread int c12[1];
  thread int c13[1];
  thread int c14[1];
  thread float4 c15[1];
  thread float c16[1];
  thread float c17[1];
  thread float c18[1];
  thread int c19[1];
  thread float c20[1];
  thread float c21[1];
  thread float c22[1];
  thread int c23[1];
  thread float c24[1];
  thread float c25[1];
  thread float c26[1];
  thread int c27[1];
  thread float c28[1];
  thread float c29[1];
  thread float c30[1];
  thread float c31[1];
  thread float c32[1];
  thread float c33[1];
  thread float c34[1];
  thread float c35[1];
  thread float c36[1];
  thread int c37[1];
  thread int c39[1];
  thread int c40[1];
  thread int c41[1];
  thread int c42[1];
  thread int c43[1];
  thread int c44[1];
  thread int c45[1];
  thread int c46[1];
  thread int c47[1];
  thread int c48[1];
  thread float4 c49[1];
  thread float c50[1];
  thread float c51[1];
  thread float c52[1];
  thread float c53[1];
  thread int c54[1];
  thread float c55[1];
  thread float c56[1];
  thread float c57[1];
  thread float c58[1];
  thread int c59[1];
  thread float c60[1];
  thread float c61[1];
  thread float c62[1];
  thread float c63[1];
  thread int c64[1];
  thread float c65[1];
  thread float c66[1];
  thread float c67[1];
  thread float c68[1];
  thread int c69[1];
  thread int c70[1];
  int lane2 = (((int)threadIdx) & 31);
  int subgroup3 = (((int)threadIdx) >> 5);
  c4[0] = (((int)blockIdx) * 1024);
  c5[0] = 0.000000e+00f;
  for (int i6 = 0; i6 < 8; ++i6) {
    c7[0] = (0 + i6);
    c8[0] = (c7[0] * 128);
    c9[0] = (c7[0] * 4);
    c10[0] = (c9[0] + 1);
    c11[0] = (c9[0] + 2);
    c12[0] = (c9[0] + 3);
    c13[0] = (c4[0] + c8[0]);
    c14[0] = (c13[0] + (lane2 * 4));
    c15[0] = *(device float4*)(p_x_ptr + ((c14[0] >> 2) * 4));
    c16[0] = (c15[0])[0];
    own_stripe01[c9[0]] = c16[0];
    c17[0] = (c16[0] * c16[0]);
    c18[0] = (c5[0] + c17[0]);
    c19[0] = (c13[0] + 1);
    c20[0] = (c15[0])[1];
    own_stripe01[c10[0]] = c20[0];
    c21[0] = (c20[0] * c20[0]);
    c22[0] = (c18[0] + c21[0]);
    c23[0] = (c13[0] + 2);
    c24[0] = (c15[0])[2];
    own_stripe01[c11[0]] = c24[0];
    c25[0] = (c24[0] * c24[0]);
    c26[0] = (c22[0] + c25[0]);
    c27[0] = (c13[0] + 3);
    c28[0] = (c15[0])[3];
    own_stripe01[c12[0]] = c28[0];
    c29[0] = (c28[0] * c28[0]);
    c30[0] = (c26[0] + c29[0]);
    c5[0] = c30[0];
  }
  c31[0] = simd_sum(c5[0]);
  c32[0] = n_eps_ptr[0];
  c33[0] = (c31[0] / 1.024000e+03f);
  c34[0] = (c33[0] + c32[0]);
  c35[0] = precise::sqrt(c34[0]);
  c36[0] = (1.000000e+00f / c35[0]);
  c37[0] = (((int)blockIdx) * 1024);
  for (int i38 = 0; i38 < 8; ++i38) {
    c39[0] = (0 + i38);
    c40[0] = (c39[0] * 128);
    c41[0] = (c39[0] * 4);
    c42[0] = (c40[0] + 1);
    c43[0] = (c41[0] + 1);
    c44[0] = (c40[0] + 2);
    c45[0] = (c41[0] + 2);
    c46[0] = (c40[0] + 3);
    c47[0] = (c41[0] + 3);
    c48[0] = (c40[0] + (lane2 * 4));
    c49[0] = *(device float4*)(p_weight_ptr + ((c48[0] >> 2) * 4));
    c50[0] = (c49[0])[0];
    c51[0] = own_stripe01[c41[0]];
    c52[0] = (c51[0] * c36[0]);
    c53[0] = (c52[0] * c50[0]);
    c54[0] = (c37[0] + c40[0]);
    c55[0] = (c49[0])[1];
    c56[0] = own_stripe01[c43[0]];
    c57[0] = (c56[0] * c36[0]);
    c58[0] = (c57[0] * c55[0]);
    c59[0] = (c54[0] + 1);
    c60[0] = (c49[0])[2];
    c61[0] = own_stripe01[c45[0]];
    c62[0] = (c61[0] * c36[0]);
    c63[0] = (c62[0] * c60[0]);
    c64[0] = (c54[0] + 2);
    c65[0] = (c49[0])[3];
    c66[0] = own_stripe01[c47[0]];
    c67[0] = (c66[0] * c36[0]);
    c68[0] = (c67[0] * c65[0]);
    c69[0] = (c54[0] + 3);
    c70[0] = (c54[0] + (lane2 * 4));
    *(device float4*)(p_y_ptr + ((c70[0] >> 2) * 4)) = float4(c53[0], c58[0], c63[0], c68[0]);
  }
}


