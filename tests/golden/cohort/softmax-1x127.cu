template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(32) softmax_kernel_c78bf73303d0_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const long long v7 = group * n_x_stride0;
  float v8 = __uint_as_float(0xff800000U);
  #pragma unroll
  for (long long i10 = 0LL; i10 < 3LL; i10 += 1LL) {
    const long long v11 = i10 * 32LL;
    const long long v12 = v7 + v11;
    const float v13 = p_x[v12 + lane];
    own_stripe0[i10] = v13;
    const float v14 = max_nan(v8, v13);
    v8 = v14;
  }
  const long long v17 = (long long)lane;
  const bool v19 = v17 < 31LL;
  const long long v21 = v7 + 96LL;
  const float v22 = v19 ? p_x[v21 + lane] : 0.0f;
  own_stripe0[3LL] = v22;
  const float v23 = max_nan(v8, v22);
  const float v24 = v19 ? v23 : v8;
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  float v26 = 0.0f;
  #pragma unroll
  for (long long i28 = 0LL; i28 < 3LL; i28 += 1LL) {
    const float v29 = own_stripe0[i28];
    const float v30 = v29 - v25;
    const float v31 = expf(v30);
    own_stripe1[i28] = v31;
    const float v32 = v26 + v31;
    v26 = v32;
  }
  const float v33 = own_stripe0[3LL];
  const float v34 = v33 - v25;
  const float v35 = expf(v34);
  own_stripe1[3LL] = v35;
  const float v36 = v26 + v35;
  const float v37 = v19 ? v36 : v26;
  float v38 = v37;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v38, distance);
    v38 = v38 + other;
  }
  const float v40 = 1.0f / v38;
  const long long v42 = group * n_y_stride0;
  #pragma unroll
  for (long long i43 = 0LL; i43 < 3LL; i43 += 1LL) {
    const long long v44 = i43 * 32LL;
    const float v45 = own_stripe1[i43];
    const float v46 = v45 * v40;
    const long long v47 = v42 + v44;
    p_y[v47 + lane] = v46;
  }
  const float v48 = own_stripe1[3LL];
  const float v49 = v48 * v40;
  const long long v50 = v42 + 96LL;
  if (v19) p_y[v50 + lane] = v49;
}
