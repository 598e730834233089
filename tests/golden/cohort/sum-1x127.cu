extern "C" __global__ void __launch_bounds__(32) sum_kernel_3e372b86f9b5_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  const long long v7 = group * n_x_stride0;
  float v8 = 0.0f;
  for (long long i10 = 0LL; i10 < 3LL; i10 += 1LL) {
    const long long v11 = i10 * 32LL;
    const long long v12 = v7 + v11;
    const float v13 = p_x[v12 + lane];
    const float v14 = v8 + v13;
    v8 = v14;
  }
  const long long v17 = (long long)lane;
  const bool v19 = v17 < 31LL;
  const long long v20 = v7 + 96LL;
  const float v21 = v19 ? p_x[v20 + lane] : 0.0f;
  const float v22 = v8 + v21;
  const float v23 = v19 ? v22 : v8;
  float v24 = v23;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v24, distance);
    v24 = v24 + other;
  }
  if (lane == 0) p_y[group] = v24;
}
