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
  const int group = blockIdx.x;
  float own_stripe0[9];
  float own_stripe1[9];
  const int v7 = (int)n_x_stride0;
  const int v8 = group * v7;
  float v9 = __uint_as_float(0xff800000U);
  #pragma unroll
  for (int i11 = 0; i11 < 8; i11 += 1) {
    const int v12 = i11 * 32;
    const int v13 = v8 + v12;
    const float v14 = p_x[v13 + lane];
    own_stripe0[i11] = v14;
    const float v15 = max_nan(v9, v14);
    v9 = v15;
  }
  const bool v18 = lane < 1;
  const int v20 = v8 + 256;
  const float v21 = v18 ? p_x[v20 + lane] : 0.0f;
  own_stripe0[8] = v21;
  const float v22 = max_nan(v9, v21);
  const float v23 = v18 ? v22 : v9;
  float v24 = v23;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v24, distance);
    v24 = max_nan(v24, other);
  }
  float v25 = 0.0f;
  #pragma unroll
  for (int i27 = 0; i27 < 8; i27 += 1) {
    const float v28 = own_stripe0[i27];
    const float v29 = v28 - v24;
    const float v30 = expf(v29);
    own_stripe1[i27] = v30;
    const float v31 = v25 + v30;
    v25 = v31;
  }
  const float v32 = own_stripe0[8];
  const float v33 = v32 - v24;
  const float v34 = expf(v33);
  own_stripe1[8] = v34;
  const float v35 = v25 + v34;
  const float v36 = v18 ? v35 : v25;
  float v37 = v36;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v37, distance);
    v37 = v37 + other;
  }
  const float v39 = 1.0f / v37;
  const int v41 = (int)n_y_stride0;
  const int v42 = group * v41;
  #pragma unroll
  for (int i43 = 0; i43 < 8; i43 += 1) {
    const int v44 = i43 * 32;
    const float v45 = own_stripe1[i43];
    const float v46 = v45 * v39;
    const int v47 = v42 + v44;
    p_y[v47 + lane] = v46;
  }
  const float v48 = own_stripe1[8];
  const float v49 = v48 * v39;
  const int v50 = v42 + 256;
  if (v18) p_y[v50 + lane] = v49;
}
