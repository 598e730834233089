// Function: sum_kernel_3cad2738b4a7_0_kernel
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

union __TVMArgUnion {
 int v_int[2];
};

kernel void sum_kernel_3cad2738b4a7_0_kernel(  device float* p_x_ptr [[ buffer(0) ]],
  device float* p_y_ptr [[ buffer(1) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup float shared_partial01[4];
  thread int c4[1];
  thread int c5[1];
  thread float c6[1];
  thread int c8[1];
  thread int c9[1];
  thread int c10[1];
  thread int c11[1];
  thread int c12[1];
  thread float4 c13[1];
  thread float c14[1];
  thread float c15[1];
  thread int c16[1];
  thread float c17[1];
  thread float c18[1];
  thread int c19[1];
  thread float c20[1];
  thread float c21[1];
  thread int c22[1];
  thread float c23[1];
  thread float c24[1];
  thread float c25[1];
  thread char c26[1];
  thread float c27[1];
  thread float c28[1];
  thread char c29[1];
  int lane2 = (((int)threadIdx) & 31);
  int subgroup3 = (((int)threadIdx) >> 5);
  c4[0] = (subgroup3 * 128);
  c5[0] = (((int)blockIdx) * 1024);
  c6[0] = 0.000000e+00f;
  for (int i7 = 0; i7 < 2; ++i7) {
    c8[0] = (0 + i7);
    c9[0] = (c8[0] * 512);
    c10[0] = (c9[0] + c4[0]);
    c11[0] = (c5[0] + c10[0]);
    c12[0] = (c11[0] + (lane2 * 4));
    c13[0] = *(device float4*)(p_x_ptr + ((c12[0] >> 2) * 4));
    c14[0] = (c13[0])[0];
    c15[0] = (c6[0] + c14[0]);
    c16[0] = (c11[0] + 1);
    c17[0] = (c13[0])[1];
    c18[0] = (c15[0] + c17[0]);
    c19[0] = (c11[0] + 2);
    c20[0] = (c13[0])[2];
    c21[0] = (c18[0] + c20[0]);
    c22[0] = (c11[0] + 3);
    c23[0] = (c13[0])[3];
    c24[0] = (c21[0] + c23[0]);
    c6[0] = c24[0];
  }
  c25[0] = simd_sum(c6[0]);
  if (lane2 == 0) {
    shared_partial01[subgroup3] = c25[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  c26[0] = select((char)0, (char)1, (lane2 < 4));
  float condval;
  if (c26[0] != (char)0) {
    condval = shared_partial01[lane2];
  } else {
    condval = 0.000000e+00f;
  }
  c27[0] = condval;
  c28[0] = simd_sum(c27[0]);
  c29[0] = select((char)0, (char)1, (subgroup3 == 0));
  if (c29[0] != (char)0) {
    if (lane2 == 0) {
      p_y_ptr[((int)blockIdx)] = c28[0];
    }
  }
}


