"""Texts in the manner of a generator that prints C casts, argument structs and unused unions."""

import numpy as np

from certile.metalsim import Library, check

TEXT = """// Function: rows
#include <metal_stdlib>
using namespace metal;

union __ArgUnion {
 int v_int[2];
};

struct rows_args_t {
  int n[2];
  float scale[2];
};

kernel void rows(  device float* A_ptr [[ buffer(0) ]],
  device float* B_ptr [[ buffer(1) ]],
  device bool* flags [[ buffer(2) ]],
  constant rows_args_t& arg [[ buffer(3) ]],
  uint blockIdx [[threadgroup_position_in_grid]],
  uint threadIdx [[thread_position_in_threadgroup]]
) {
  thread float acc[1];
  threadgroup float sh[4];
  acc[0] = 0.000000e+00f;
  for (int i = 0; i < 4; ++i) {
    int cse_v1 = (i * 128);
    if (((i * 128) + ((int)threadIdx)) < arg.n[0]) {
      int cse_v2 = (((int)blockIdx) * arg.n[0]);
      acc[0] = (acc[0] + (A_ptr[(cse_v2 + (cse_v1 + ((int)threadIdx)))] * arg.scale[0]));
    }
  }
  acc[0] = simd_sum(acc[0]);
  if ((((int)threadIdx) % 32) == 0) {
    sh[(((int)threadIdx) >> 5)] = acc[0];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (((int)threadIdx) == 0) {
    B_ptr[((int)blockIdx)] = (((sh[0] + sh[1]) + sh[2]) + max(sh[3], -3.400000e+38f));
    flags[((int)blockIdx)] = ((sh[0] != sh[0]) || (0.000000e+00f < B_ptr[((int)blockIdx)]));
  }
}


// Function: lanes
#include <metal_stdlib>
using namespace metal;

union __ArgUnion {
 int v_int[2];
};

kernel void lanes(  device half* A_ptr [[ buffer(0) ]],
  device float* B_ptr [[ buffer(1) ]],
  device char* C_ptr [[ buffer(2) ]],
  uint2 blockIdx [[threadgroup_position_in_grid]],
  uint2 threadIdx [[thread_position_in_threadgroup]]
) {
  thread float4 acc[1];
  int at = ((((int)blockIdx.x) * 128) + (((int)threadIdx.x) * 4));
  acc[0] = ((float4)*(device half4*)(A_ptr + ((((int)blockIdx.x) * 128) + (at % 128))));
  float4 zero = float4(0.000000e+00f, 0.000000e+00f, 0.000000e+00f, 0.000000e+00f);
  *(device float4*)(B_ptr + at) = select(zero, acc[0], (zero < acc[0]));
  *(device char4*)(C_ptr + at) = ((char4)max(acc[0], (float4)1.000000e+00f));
    int2 v__1 = int2((at)+(2*0), (at)+(2*1));
    float2 v__2 = float2((acc[0])[1], (acc[0])[3]);
    B_ptr[v__1[0]] = v__2[0];
    B_ptr[v__1[1]] = v__2[1];
  #pragma unroll 1
  while (1) {
    if (!((at < 0))) { break; }
    at = (at + 1);
  }
}
"""


def test_both_kernels_run_without_a_finding():
    assert check(TEXT) == []
    library = Library(TEXT)
    x = np.random.default_rng(0).integers(-8, 8, (3, 400)).astype(np.float32)
    y, flags = np.zeros(3, np.float32), np.zeros(3, np.bool_)
    arguments = np.array([(400, 0, 0.5, 0)], dtype="i4,i4,f4,f4")
    report = library.kernel("rows").run(
        {0: x, 1: y, 2: flags, 3: arguments}, (3, 1, 1), (128, 1, 1)
    )
    assert report.ok, report
    np.testing.assert_array_equal(y, x.sum(axis=1) / 2)
    np.testing.assert_array_equal(flags, y > 0)

    a = np.random.default_rng(1).integers(-8, 8, (2, 32, 4)).astype(np.float16)
    b, c = np.zeros(a.shape, np.float32), np.zeros(a.shape, np.int8)
    report = library.kernel("lanes").run({0: a, 1: b, 2: c}, (2, 1, 1), (32, 1, 1))
    assert report.ok, report
    expected = np.maximum(a.astype(np.float32), 0)
    expected[..., 0], expected[..., 2] = a[..., 1], a[..., 3]
    np.testing.assert_array_equal(b, expected)
    np.testing.assert_array_equal(c, np.maximum(a, 1))
