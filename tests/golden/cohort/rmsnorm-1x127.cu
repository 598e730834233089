extern "C" __global__ void __launch_bounds__(32) rms_norm_kernel_c56920be72e0_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[4];
  const long long v7 = group * n_x_stride0;
  float v8 = 0.0f;
  #pragma unroll
  for (long long i10 = 0LL; i10 < 3LL; i10 += 1LL) {
    const long long v11 = i10 * 32LL;
    const long long v12 = v7 + v11;
    const float v13 = p_x[v12 + lane];
    own_stripe0[i10] = v13;
    const float v14 = v13 * v13;
    const float v15 = v8 + v14;
    v8 = v15;
  }
  const long long v18 = (long long)lane;
  const bool v20 = v18 < 31LL;
  const long long v21 = v7 + 96LL;
  const float v22 = v20 ? p_x[v21 + lane] : 0.0f;
  own_stripe0[3LL] = v22;
  const float v23 = v22 * v22;
  const float v24 = v8 + v23;
  const float v25 = v20 ? v24 : v8;
  float v26 = v25;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v26, distance);
    v26 = v26 + other;
  }
  const float v29 = v26 / 127.0f;
  const float v30 = v29 + n_eps;
  const float v31 = __frsqrt_rn(v30);
  const long long v33 = group * n_y_stride0;
  #pragma unroll
  for (long long i34 = 0LL; i34 < 3LL; i34 += 1LL) {
    const long long v35 = i34 * 32LL;
    const float v36 = p_weight[v35 + lane];
    const float v37 = own_stripe0[i34];
    const float v38 = v37 * v31;
    const float v39 = v38 * v36;
    const long long v40 = v33 + v35;
    p_y[v40 + lane] = v39;
  }
  const float v41 = v20 ? p_weight[96LL + lane] : 0.0f;
  const float v42 = own_stripe0[3LL];
  const float v43 = v42 * v31;
  const float v44 = v43 * v41;
  const long long v45 = v33 + 96LL;
  if (v20) p_y[v45 + lane] = v44;
}
