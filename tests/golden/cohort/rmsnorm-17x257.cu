extern "C" __global__ void __launch_bounds__(320) rms_norm_kernel_027240339f71_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[10];
  float own_stripe0[1];
  const int v5 = subgroup * 32;
  const int v7 = v5 + lane;
  const bool v9 = v7 < 257;
  const int v11 = (int)n_x_stride0;
  const int v12 = group * v11;
  const int v13 = v12 + v5;
  const float v14 = v9 ? p_x[v13 + lane] : 0.0f;
  own_stripe0[0] = v14;
  const float v15 = v14 * v14;
  const float v16 = 0.0f + v15;
  const float v17 = v9 ? v16 : 0.0f;
  float v18 = v17;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v18, distance);
    v18 = v18 + other;
  }
  if (lane == 0) shared_partial0[subgroup] = v18;
  __syncthreads();
  const bool v20 = lane < 10;
  const float v21 = v20 ? shared_partial0[lane] : 0.0f;
  float v22 = v21;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v22, distance);
    v22 = v22 + other;
  }
  const float v25 = v22 / 257.0f;
  const float v26 = v25 + n_eps;
  const float v27 = __frsqrt_rn(v26);
  const float v28 = v9 ? p_weight[v5 + lane] : 0.0f;
  const float v29 = own_stripe0[0];
  const float v30 = v29 * v27;
  const float v31 = v30 * v28;
  const int v33 = (int)n_y_stride0;
  const int v34 = group * v33;
  const int v35 = v34 + v5;
  if (v9) p_y[v35 + lane] = v31;
}
