extern "C" __global__ void __launch_bounds__(320) rms_norm_kernel_027240339f71_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[10];
  float own_stripe0[1];
  const int v3 = (int)group;
  const int v6 = subgroup * 32;
  const int v8 = v6 + lane;
  const bool v10 = v8 < 257;
  const int v12 = (int)n_x_stride0;
  const int v13 = v3 * v12;
  const int v14 = v13 + v6;
  const float v15 = v10 ? p_x[v14 + lane] : 0.0f;
  own_stripe0[0] = v15;
  const float v16 = v15 * v15;
  const float v17 = 0.0f + v16;
  const float v18 = v10 ? v17 : 0.0f;
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
  const float v26 = v23 / 257.0f;
  const float v27 = v26 + n_eps;
  const float v28 = __frsqrt_rn(v27);
  const float v29 = v10 ? p_weight[v6 + lane] : 0.0f;
  const float v30 = own_stripe0[0];
  const float v31 = v30 * v28;
  const float v32 = v31 * v29;
  const int v34 = (int)n_y_stride0;
  const int v35 = v3 * v34;
  const int v36 = v35 + v6;
  if (v10) p_y[v36 + lane] = v32;
}
