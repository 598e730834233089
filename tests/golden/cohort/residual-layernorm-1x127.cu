extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_d2f2a86fc986_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, const float* __restrict__ p_residual, long long n_x_stride0, long long n_residual_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[4];
  float own_stripe1[4];
  const long long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  const long long v10 = group * n_residual_stride0;
  float v11 = 0.0f;
  #pragma unroll
  for (long long i13 = 0LL; i13 < 3LL; i13 += 1LL) {
    const long long v14 = i13 * 32LL;
    const long long v15 = v4 + v14;
    const float v16 = p_x[v15 + lane];
    const long long v17 = v10 + v14;
    const float v18 = p_residual[v17 + lane];
    const float v19 = v16 + v18;
    own_stripe0[i13] = v19;
    const float v20 = v19 - v5;
    const float v21 = v11 + v20;
    v11 = v21;
  }
  const long long v24 = (long long)lane;
  const bool v26 = v24 < 31LL;
  const long long v27 = v4 + 96LL;
  const float v28 = v26 ? p_x[v27 + lane] : 0.0f;
  const long long v29 = v10 + 96LL;
  const float v30 = v26 ? p_residual[v29 + lane] : 0.0f;
  const float v31 = v28 + v30;
  own_stripe0[3LL] = v31;
  const float v32 = v31 - v5;
  const float v33 = v11 + v32;
  const float v34 = v26 ? v33 : v11;
  float v35 = v34;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v35, distance);
    v35 = v35 + other;
  }
  const float v37 = v35 / 127.0f;
  const float v38 = -v5;
  float v40 = 0.0f;
  #pragma unroll
  for (long long i42 = 0LL; i42 < 3LL; i42 += 1LL) {
    const float v43 = own_stripe0[i42];
    const float v44 = fmaf(v43, 1.0f, v38);
    const float v45 = v44 - v37;
    own_stripe1[i42] = v45;
    const float v46 = v45 * v45;
    const float v47 = v40 + v46;
    v40 = v47;
  }
  const float v48 = own_stripe0[3LL];
  const float v49 = fmaf(v48, 1.0f, v38);
  const float v50 = v49 - v37;
  own_stripe1[3LL] = v50;
  const float v51 = v50 * v50;
  const float v52 = v40 + v51;
  const float v53 = v26 ? v52 : v40;
  float v54 = v53;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v54, distance);
    v54 = v54 + other;
  }
  const float v56 = v54 / 127.0f;
  const float v57 = v56 + n_eps;
  const float v58 = __frsqrt_rn(v57);
  const long long v60 = group * n_y_stride0;
  #pragma unroll
  for (long long i61 = 0LL; i61 < 3LL; i61 += 1LL) {
    const long long v62 = i61 * 32LL;
    const float v63 = p_bias[v62 + lane];
    const float v64 = p_weight[v62 + lane];
    const float v65 = own_stripe1[i61];
    const float v66 = v65 * v58;
    const float v67 = v66 * v64;
    const float v68 = v67 + v63;
    const long long v69 = v60 + v62;
    p_y[v69 + lane] = v68;
  }
  const float v70 = v26 ? p_bias[96LL + lane] : 0.0f;
  const float v71 = v26 ? p_weight[96LL + lane] : 0.0f;
  const float v72 = own_stripe1[3LL];
  const float v73 = v72 * v58;
  const float v74 = v73 * v71;
  const float v75 = v74 + v70;
  const long long v76 = v60 + 96LL;
  if (v26) p_y[v76 + lane] = v75;
}
