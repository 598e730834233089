extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_64d6963907b4_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const long long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  float v9 = 0.0f;
  #pragma unroll
  for (long long i11 = 0LL; i11 < 3LL; i11 += 1LL) {
    const long long v12 = i11 * 32LL;
    const long long v13 = v4 + v12;
    const float v14 = p_x[v13 + lane];
    own_stripe0[i11] = v14;
    const float v15 = v14 - v5;
    const float v16 = v9 + v15;
    v9 = v16;
  }
  const long long v19 = (long long)lane;
  const bool v21 = v19 < 31LL;
  const long long v22 = v4 + 96LL;
  const float v23 = v21 ? p_x[v22 + lane] : 0.0f;
  own_stripe0[3LL] = v23;
  const float v24 = v23 - v5;
  const float v25 = v9 + v24;
  const float v26 = v21 ? v25 : v9;
  float v27 = v26;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v27, distance);
    v27 = v27 + other;
  }
  const float v29 = v27 / 127.0f;
  const float v30 = -v5;
  float v32 = 0.0f;
  #pragma unroll
  for (long long i34 = 0LL; i34 < 3LL; i34 += 1LL) {
    const float v35 = own_stripe0[i34];
    const float v36 = fmaf(v35, 1.0f, v30);
    const float v37 = v36 - v29;
    own_stripe1[i34] = v37;
    const float v38 = v37 * v37;
    const float v39 = v32 + v38;
    v32 = v39;
  }
  const float v40 = own_stripe0[3LL];
  const float v41 = fmaf(v40, 1.0f, v30);
  const float v42 = v41 - v29;
  own_stripe1[3LL] = v42;
  const float v43 = v42 * v42;
  const float v44 = v32 + v43;
  const float v45 = v21 ? v44 : v32;
  float v46 = v45;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v46, distance);
    v46 = v46 + other;
  }
  const float v48 = v46 / 127.0f;
  const float v49 = v48 + n_eps;
  const float v50 = __frsqrt_rn(v49);
  const long long v52 = group * n_y_stride0;
  #pragma unroll
  for (long long i53 = 0LL; i53 < 3LL; i53 += 1LL) {
    const long long v54 = i53 * 32LL;
    const float v55 = p_bias[v54 + lane];
    const float v56 = p_weight[v54 + lane];
    const float v57 = own_stripe1[i53];
    const float v58 = v57 * v50;
    const float v59 = v58 * v56;
    const float v60 = v59 + v55;
    const long long v61 = v52 + v54;
    p_y[v61 + lane] = v60;
  }
  const float v62 = v21 ? p_bias[96LL + lane] : 0.0f;
  const float v63 = v21 ? p_weight[96LL + lane] : 0.0f;
  const float v64 = own_stripe1[3LL];
  const float v65 = v64 * v50;
  const float v66 = v65 * v63;
  const float v67 = v66 + v62;
  const long long v68 = v52 + 96LL;
  if (v21) p_y[v68 + lane] = v67;
}
