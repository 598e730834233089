template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(32) cross_entropy_kernel_aa37c16c4c25_0(const float* __restrict__ p_logits, const long long* __restrict__ p_labels, float* __restrict__ p_loss, long long n_logits_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  const long long v7 = group * n_logits_stride0;
  float v8 = __uint_as_float(0xff800000U);
  for (long long i10 = 0LL; i10 < 3LL; i10 += 1LL) {
    const long long v11 = i10 * 32LL;
    const long long v12 = v7 + v11;
    const float v13 = p_logits[v12 + lane];
    const float v14 = max_nan(v8, v13);
    v8 = v14;
  }
  const long long v17 = (long long)lane;
  const bool v19 = v17 < 31LL;
  const long long v21 = v7 + 96LL;
  const float v22 = v19 ? p_logits[v21 + lane] : 0.0f;
  const float v23 = max_nan(v8, v22);
  const float v24 = v19 ? v23 : v8;
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  const long long v26 = p_labels[group];
  const bool v28 = v26 >= 0LL;
  const bool v29 = v26 < 127LL;
  const bool v30 = v28 & v29;
  const long long v31 = (long long)((unsigned long long)v7 + (unsigned long long)v26);
  const float v32 = v30 ? p_logits[v31] : 0.0f;
  const float v33 = v30 ? v32 : 0.0f;
  const bool v34 = (fabs(v25) < __uint_as_float(0x7f800000U));
  const float v35 = v34 ? v25 : 0.0f;
  float v36 = 0.0f;
  for (long long i38 = 0LL; i38 < 3LL; i38 += 1LL) {
    const long long v39 = i38 * 32LL;
    const long long v40 = v7 + v39;
    const float v41 = p_logits[v40 + lane];
    const float v42 = v41 - v35;
    const float v43 = expf(v42);
    const float v44 = v36 + v43;
    v36 = v44;
  }
  const float v45 = v19 ? p_logits[v21 + lane] : 0.0f;
  const float v46 = v45 - v35;
  const float v47 = expf(v46);
  const float v48 = v36 + v47;
  const float v49 = v19 ? v48 : v36;
  float v50 = v49;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v50, distance);
    v50 = v50 + other;
  }
  const float v51 = logf(v50);
  const float v52 = v35 - v33;
  const float v53 = v52 + v51;
  if (lane == 0) p_loss[group] = v53;
}
