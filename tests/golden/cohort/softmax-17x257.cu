template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(32) softmax_kernel_5dcb66b17ce3_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[9];
  float own_stripe1[9];
  const int v2 = (int)group;
  const int v8 = (int)n_x_stride0;
  const int v9 = v2 * v8;
  float v10 = __uint_as_float(0xff800000U);
  #pragma unroll
  for (int i12 = 0; i12 < 8; i12 += 1) {
    const int v13 = i12 * 32;
    const int v14 = v9 + v13;
    const float v15 = p_x[v14 + lane];
    own_stripe0[i12] = v15;
    const float v16 = max_nan(v10, v15);
    v10 = v16;
  }
  const bool v19 = lane < 1;
  const int v21 = v9 + 256;
  const float v22 = v19 ? p_x[v21 + lane] : 0.0f;
  own_stripe0[8] = v22;
  const float v23 = max_nan(v10, v22);
  const float v24 = v19 ? v23 : v10;
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  float v26 = 0.0f;
  #pragma unroll
  for (int i28 = 0; i28 < 8; i28 += 1) {
    const float v29 = own_stripe0[i28];
    const float v30 = v29 - v25;
    const float v31 = expf(v30);
    own_stripe1[i28] = v31;
    const float v32 = v26 + v31;
    v26 = v32;
  }
  const float v33 = own_stripe0[8];
  const float v34 = v33 - v25;
  const float v35 = expf(v34);
  own_stripe1[8] = v35;
  const float v36 = v26 + v35;
  const float v37 = v19 ? v36 : v26;
  float v38 = v37;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v38, distance);
    v38 = v38 + other;
  }
  const float v40 = 1.0f / v38;
  const int v42 = (int)n_y_stride0;
  const int v43 = v2 * v42;
  #pragma unroll
  for (int i44 = 0; i44 < 8; i44 += 1) {
    const int v45 = i44 * 32;
    const float v46 = own_stripe1[i44];
    const float v47 = v46 * v40;
    const int v48 = v43 + v45;
    p_y[v48 + lane] = v47;
  }
  const float v49 = own_stripe1[8];
  const float v50 = v49 * v40;
  const int v51 = v43 + 256;
  if (v19) p_y[v51 + lane] = v50;
}
