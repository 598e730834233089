extern "C" __global__ void __launch_bounds__(32) sum_kernel_89f17e8f9535_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0) {
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  const int v7 = (int)n_x_stride0;
  const int v8 = group * v7;
  float v9 = 0.0f;
  for (int i11 = 0; i11 < 8; i11 += 1) {
    const int v12 = i11 * 32;
    const int v13 = v8 + v12;
    const float v14 = p_x[v13 + lane];
    const float v15 = v9 + v14;
    v9 = v15;
  }
  const bool v18 = lane < 1;
  const int v19 = v8 + 256;
  const float v20 = v18 ? p_x[v19 + lane] : 0.0f;
  const float v21 = v9 + v20;
  const float v22 = v18 ? v21 : v9;
  float v23 = v22;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v23, distance);
    v23 = v23 + other;
  }
  if (lane == 0) p_y[group] = v23;
}
