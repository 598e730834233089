extern "C" __global__ void __launch_bounds__(320) layer_norm_kernel_2e6f459d6eaa_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_x_stride0, long long n_residual_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[10];
  __shared__ float shared_partial1[10];
  float own_stripe0[1];
  float own_stripe1[1];
  const long long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  const long long v7 = (long long)subgroup;
  const long long v9 = v7 * 32LL;
  const long long v11 = (long long)lane;
  const long long v12 = v9 + v11;
  const bool v14 = v12 < 257LL;
  const long long v15 = v4 + v9;
  const float v16 = v14 ? p_x[v15 + lane] : 0.0f;
  const long long v18 = group * n_residual_stride0;
  const long long v19 = v18 + v9;
  const float v20 = v14 ? p_residual[v19 + lane] : 0.0f;
  const float v21 = v16 + v20;
  own_stripe0[0LL] = v21;
  const float v22 = v21 - v5;
  const float v23 = 0.0f + v22;
  const float v24 = v14 ? v23 : 0.0f;
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = v25 + other;
  }
  if (lane == 0) shared_partial0[v7] = v25;
  __syncthreads();
  const bool v27 = v11 < 10LL;
  const float v28 = v27 ? shared_partial0[v11] : 0.0f;
  float v29 = v28;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v29, distance);
    v29 = v29 + other;
  }
  const float v31 = v29 / 257.0f;
  const float v32 = -v5;
  const float v34 = own_stripe0[0LL];
  const float v35 = fmaf(v34, 1.0f, v32);
  const float v36 = v35 - v31;
  own_stripe1[0LL] = v36;
  const float v37 = v36 * v36;
  const float v38 = 0.0f + v37;
  const float v39 = v14 ? v38 : 0.0f;
  float v40 = v39;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v40, distance);
    v40 = v40 + other;
  }
  if (lane == 0) shared_partial1[v7] = v40;
  __syncthreads();
  const float v41 = v27 ? shared_partial1[v11] : 0.0f;
  float v42 = v41;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v42, distance);
    v42 = v42 + other;
  }
  const float v44 = v42 / 257.0f;
  const float v45 = v44 + n_eps;
  const float v46 = __frsqrt_rn(v45);
  const float v47 = v14 ? p_bias[v9 + lane] : 0.0f;
  const float v48 = v14 ? p_weight[v9 + lane] : 0.0f;
  const float v49 = own_stripe1[0LL];
  const float v50 = v49 * v46;
  const float v51 = v50 * v48;
  const float v52 = v51 + v47;
  const long long v54 = group * n_y_stride0;
  const long long v55 = v54 + v9;
  if (v14) p_y[v55 + lane] = v52;
}
