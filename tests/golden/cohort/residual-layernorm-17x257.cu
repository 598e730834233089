extern "C" __global__ void __launch_bounds__(320) layer_norm_kernel_2e6f459d6eaa_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_x_stride0, long long n_residual_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[10];
  __shared__ float shared_partial1[10];
  float own_stripe0[1];
  float own_stripe1[1];
  const int v3 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v3 * v5;
  const float v7 = p_x[v6];
  const int v10 = subgroup * 32;
  const int v12 = v10 + lane;
  const bool v14 = v12 < 257;
  const int v15 = v6 + v10;
  const float v16 = v14 ? p_x[v15 + lane] : 0.0f;
  const int v18 = (int)n_residual_stride0;
  const int v19 = v3 * v18;
  const int v20 = v19 + v10;
  const float v21 = v14 ? p_residual[v20 + lane] : 0.0f;
  const float v22 = v16 + v21;
  own_stripe0[0] = v22;
  const float v23 = v22 - v7;
  const float v24 = 0.0f + v23;
  const float v25 = v14 ? v24 : 0.0f;
  float v26 = v25;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v26, distance);
    v26 = v26 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v26;
  __syncthreads();
  const bool v28 = lane < 10;
  const float v29 = v28 ? shared_partial0[lane] : 0.0f;
  float v30 = v29;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v30, distance);
    v30 = v30 + other;
  }
  const float v32 = v30 / 257.0f;
  const float v33 = -v7;
  const float v35 = own_stripe0[0];
  const float v36 = fmaf(v35, 1.0f, v33);
  const float v37 = v36 - v32;
  own_stripe1[0] = v37;
  const float v38 = v37 * v37;
  const float v39 = 0.0f + v38;
  const float v40 = v14 ? v39 : 0.0f;
  float v41 = v40;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v41, distance);
    v41 = v41 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v41;
  __syncthreads();
  const float v42 = v28 ? shared_partial1[lane] : 0.0f;
  float v43 = v42;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v43, distance);
    v43 = v43 + other;
  }
  const float v45 = v43 / 257.0f;
  const float v46 = v45 + n_eps;
  const float v47 = __frsqrt_rn(v46);
  const float v48 = v14 ? p_bias[v10 + lane] : 0.0f;
  const float v49 = v14 ? p_weight[v10 + lane] : 0.0f;
  const float v50 = own_stripe1[0];
  const float v51 = v50 * v47;
  const float v52 = v51 * v49;
  const float v53 = v52 + v48;
  const int v55 = (int)n_y_stride0;
  const int v56 = v3 * v55;
  const int v57 = v56 + v10;
  if (v14) p_y[v57 + lane] = v53;
}
