extern "C" __global__ void __launch_bounds__(320) rms_norm_kernel_027240339f71_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[10];
  float own_stripe0[1];
  const long long v4 = (long long)subgroup;
  const long long v6 = v4 * 32LL;
  const long long v8 = (long long)lane;
  const long long v9 = v6 + v8;
  const bool v11 = v9 < 257LL;
  const long long v13 = group * n_x_stride0;
  const long long v14 = v13 + v6;
  const float v15 = v11 ? p_x[v14 + lane] : 0.0f;
  own_stripe0[0LL] = v15;
  const float v16 = v15 * v15;
  const float v17 = 0.0f + v16;
  const float v18 = v11 ? v17 : 0.0f;
  float v19 = v18;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v19, distance);
    v19 = v19 + other;
  }
  if (lane == 0) shared_partial0[v4] = v19;
  __syncthreads();
  const bool v21 = v8 < 10LL;
  const float v22 = v21 ? shared_partial0[v8] : 0.0f;
  float v23 = v22;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v23, distance);
    v23 = v23 + other;
  }
  const float v26 = v23 / 257.0f;
  const float v27 = v26 + n_eps;
  const float v28 = __frsqrt_rn(v27);
  const float v29 = v11 ? p_weight[v6 + lane] : 0.0f;
  const float v30 = own_stripe0[0LL];
  const float v31 = v30 * v28;
  const float v32 = v31 * v29;
  const long long v34 = group * n_y_stride0;
  const long long v35 = v34 + v6;
  if (v11) p_y[v35 + lane] = v32;
}
