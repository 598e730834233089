extern "C" __global__ void __launch_bounds__(320) layer_norm_kernel_50db34b5ceca_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_residual_stride0, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[10];
  __shared__ float shared_partial1[10];
  float own_stripe0[1];
  float own_stripe1[1];
  const int v4 = (int)n_residual_stride0;
  const int v5 = group * v4;
  const float v6 = p_residual[v5];
  const int v8 = (int)n_x_stride0;
  const int v9 = group * v8;
  const float v10 = p_x[v9];
  const float v11 = v10 + v6;
  const int v14 = subgroup * 32;
  const int v16 = v14 + lane;
  const bool v18 = v16 < 257;
  const int v19 = v9 + v14;
  const float v20 = v18 ? p_x[v19 + lane] : 0.0f;
  const int v21 = v5 + v14;
  const float v22 = v18 ? p_residual[v21 + lane] : 0.0f;
  const float v23 = v20 + v22;
  own_stripe0[0] = v23;
  const float v24 = v23 - v11;
  const float v25 = 0.0f + v24;
  const float v26 = v18 ? v25 : 0.0f;
  float v27 = v26;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v27, distance);
    v27 = v27 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v27;
  __syncthreads();
  const bool v29 = lane < 10;
  const float v30 = v29 ? shared_partial0[lane] : 0.0f;
  float v31 = v30;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v31, distance);
    v31 = v31 + other;
  }
  const float v33 = v31 / 257.0f;
  const float v34 = -v11;
  const float v36 = own_stripe0[0];
  const float v37 = fmaf(v36, 1.0f, v34);
  const float v38 = v37 - v33;
  own_stripe1[0] = v38;
  const float v39 = v38 * v38;
  const float v40 = 0.0f + v39;
  const float v41 = v18 ? v40 : 0.0f;
  float v42 = v41;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v42, distance);
    v42 = v42 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v42;
  __syncthreads();
  const float v43 = v29 ? shared_partial1[lane] : 0.0f;
  float v44 = v43;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v44, distance);
    v44 = v44 + other;
  }
  const float v46 = v44 / 257.0f;
  const float v47 = v46 + n_eps;
  const float v48 = __frsqrt_rn(v47);
  const float v49 = v18 ? p_bias[v14 + lane] : 0.0f;
  const float v50 = v18 ? p_weight[v14 + lane] : 0.0f;
  const float v51 = own_stripe1[0];
  const float v52 = v51 * v48;
  const float v53 = v52 * v50;
  const float v54 = v53 + v49;
  const int v56 = (int)n_y_stride0;
  const int v57 = group * v56;
  const int v58 = v57 + v14;
  if (v18) p_y[v58 + lane] = v54;
}
