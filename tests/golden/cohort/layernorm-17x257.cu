extern "C" __global__ void __launch_bounds__(320) layer_norm_kernel_9c953c2e3adb_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[10];
  __shared__ float shared_partial1[10];
  float own_stripe0[1];
  float own_stripe1[1];
  const int v4 = (int)n_x_stride0;
  const int v5 = group * v4;
  const float v6 = p_x[v5];
  const int v9 = subgroup * 32;
  const int v11 = v9 + lane;
  const bool v13 = v11 < 257;
  const int v14 = v5 + v9;
  const float v15 = v13 ? p_x[v14 + lane] : 0.0f;
  own_stripe0[0] = v15;
  const float v16 = v15 - v6;
  const float v17 = 0.0f + v16;
  const float v18 = v13 ? v17 : 0.0f;
  float v19 = v18;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v19, distance);
    v19 = v19 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v19;
  __syncthreads();
  const bool v21 = lane < 10;
  const float v22 = v21 ? shared_partial0[lane] : 0.0f;
  float v23 = v22;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v23, distance);
    v23 = v23 + other;
  }
  const float v25 = v23 / 257.0f;
  const float v26 = -v6;
  const float v28 = own_stripe0[0];
  const float v29 = fmaf(v28, 1.0f, v26);
  const float v30 = v29 - v25;
  own_stripe1[0] = v30;
  const float v31 = v30 * v30;
  const float v32 = 0.0f + v31;
  const float v33 = v13 ? v32 : 0.0f;
  float v34 = v33;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v34, distance);
    v34 = v34 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v34;
  __syncthreads();
  const float v35 = v21 ? shared_partial1[lane] : 0.0f;
  float v36 = v35;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v36, distance);
    v36 = v36 + other;
  }
  const float v38 = v36 / 257.0f;
  const float v39 = v38 + n_eps;
  const float v40 = __frsqrt_rn(v39);
  const float v41 = v13 ? p_bias[v9 + lane] : 0.0f;
  const float v42 = v13 ? p_weight[v9 + lane] : 0.0f;
  const float v43 = own_stripe1[0];
  const float v44 = v43 * v40;
  const float v45 = v44 * v42;
  const float v46 = v45 + v41;
  const int v48 = (int)n_y_stride0;
  const int v49 = group * v48;
  const int v50 = v49 + v9;
  if (v13) p_y[v50 + lane] = v46;
}
