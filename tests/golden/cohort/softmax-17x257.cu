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
  const long long v7 = group * n_x_stride0;
  float v8 = __uint_as_float(0xff800000U);
  #pragma unroll
  for (long long i10 = 0LL; i10 < 8LL; i10 += 1LL) {
    const long long v11 = i10 * 32LL;
    const long long v12 = v7 + v11;
    const float v13 = p_x[v12 + lane];
    own_stripe0[i10] = v13;
    const float v14 = max_nan(v8, v13);
    v8 = v14;
  }
  const long long v17 = (long long)lane;
  const bool v18 = v17 < 1LL;
  const long long v20 = v7 + 256LL;
  const float v21 = v18 ? p_x[v20 + lane] : 0.0f;
  own_stripe0[8LL] = v21;
  const float v22 = max_nan(v8, v21);
  const float v23 = v18 ? v22 : v8;
  float v24 = v23;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v24, distance);
    v24 = max_nan(v24, other);
  }
  float v25 = 0.0f;
  #pragma unroll
  for (long long i27 = 0LL; i27 < 8LL; i27 += 1LL) {
    const float v28 = own_stripe0[i27];
    const float v29 = v28 - v24;
    const float v30 = expf(v29);
    own_stripe1[i27] = v30;
    const float v31 = v25 + v30;
    v25 = v31;
  }
  const float v32 = own_stripe0[8LL];
  const float v33 = v32 - v24;
  const float v34 = expf(v33);
  own_stripe1[8LL] = v34;
  const float v35 = v25 + v34;
  const float v36 = v18 ? v35 : v25;
  float v37 = v36;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v37, distance);
    v37 = v37 + other;
  }
  const float v39 = 1.0f / v37;
  const long long v41 = group * n_y_stride0;
  #pragma unroll
  for (long long i42 = 0LL; i42 < 8LL; i42 += 1LL) {
    const long long v43 = i42 * 32LL;
    const float v44 = own_stripe1[i42];
    const float v45 = v44 * v39;
    const long long v46 = v41 + v43;
    p_y[v46 + lane] = v45;
  }
  const float v47 = own_stripe1[8LL];
  const float v48 = v47 * v39;
  const long long v49 = v41 + 256LL;
  if (v18) p_y[v49 + lane] = v48;
}
