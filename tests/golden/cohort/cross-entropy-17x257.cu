template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(32) cross_entropy_kernel_76d2dec0f579_0(const float* __restrict__ p_logits, const long long* __restrict__ p_labels, float* __restrict__ p_loss, long long n_logits_stride0) {
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  const int v8 = (int)n_logits_stride0;
  const int v9 = group * v8;
  const long long v10 = (long long)v9;
  float v11 = __uint_as_float(0xff800000U);
  for (int i13 = 0; i13 < 8; i13 += 1) {
    const int v14 = i13 * 32;
    const int v15 = v9 + v14;
    const float v16 = p_logits[v15 + lane];
    const float v17 = max_nan(v11, v16);
    v11 = v17;
  }
  const bool v20 = lane < 1;
  const int v22 = v9 + 256;
  const float v23 = v20 ? p_logits[v22 + lane] : 0.0f;
  const float v24 = max_nan(v11, v23);
  const float v25 = v20 ? v24 : v11;
  float v26 = v25;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v26, distance);
    v26 = max_nan(v26, other);
  }
  const long long v27 = p_labels[group];
  const bool v29 = v27 >= 0LL;
  const bool v30 = v27 < 257LL;
  const bool v31 = v29 & v30;
  const long long v32 = (long long)((unsigned long long)v10 + (unsigned long long)v27);
  const float v33 = v31 ? p_logits[v32] : 0.0f;
  const float v34 = v31 ? v33 : 0.0f;
  const bool v35 = (fabs(v26) < __uint_as_float(0x7f800000U));
  const float v36 = v35 ? v26 : 0.0f;
  float v37 = 0.0f;
  for (int i39 = 0; i39 < 8; i39 += 1) {
    const int v40 = i39 * 32;
    const int v41 = v9 + v40;
    const float v42 = p_logits[v41 + lane];
    const float v43 = v42 - v36;
    const float v44 = expf(v43);
    const float v45 = v37 + v44;
    v37 = v45;
  }
  const float v46 = v20 ? p_logits[v22 + lane] : 0.0f;
  const float v47 = v46 - v36;
  const float v48 = expf(v47);
  const float v49 = v37 + v48;
  const float v50 = v20 ? v49 : v37;
  float v51 = v50;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v51, distance);
    v51 = v51 + other;
  }
  const float v52 = logf(v51);
  const float v53 = v36 - v34;
  const float v54 = v53 + v52;
  if (lane == 0) p_loss[group] = v54;
}
