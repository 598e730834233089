template <typename T, int N> struct alignas(N * sizeof(T)) Pack {
  T item[N];
};
template <int BYTES> struct Words;
template <> struct Words<2> { typedef unsigned short type; };
template <> struct Words<4> { typedef unsigned int type; };
template <> struct Words<8> { typedef uint2 type; };
template <> struct Words<16> { typedef uint4 type; };

template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.words = *(const typename Words<N * sizeof(T)>::type*)from;
  return both.pack;
}

extern "C" __global__ void __launch_bounds__(32) layer_norm_kernel_9c953c2e3adb_0(const float* __restrict__ p_x, float* __restrict__ p_y, const float* __restrict__ p_weight, const float* __restrict__ p_bias, long long n_x_stride0, float n_eps, long long n_y_stride0) {
  const int lane = threadIdx.x & 31;
  const long long group = blockIdx.x;
  float own_stripe0[9];
  float own_stripe1[9];
  const long long v4 = group * n_x_stride0;
  const float v5 = p_x[v4];
  float v10 = 0.0f;
  #pragma unroll
  for (long long i12 = 0LL; i12 < 4LL; i12 += 1LL) {
    const long long v13 = i12 * 64LL;
    const long long v14 = i12 * 2LL;
    const long long v15 = v14 + 1LL;
    const long long v16 = v4 + v13;
    const float v17 = p_x[v16 + lane * 2LL];
    own_stripe0[v14] = v17;
    const float v18 = v17 - v5;
    const float v19 = v10 + v18;
    const long long v20 = v16 + 1LL;
    const float v21 = p_x[v20 + lane * 2LL];
    own_stripe0[v15] = v21;
    const float v22 = v21 - v5;
    const float v23 = v19 + v22;
    v10 = v23;
  }
  const long long v27 = (long long)lane;
  const long long v28 = v27 * 2LL;
  const bool v29 = v28 < 2LL;
  const long long v30 = v4 + 256LL;
  const float v31 = v29 ? p_x[v30 + lane * 2LL] : 0.0f;
  own_stripe0[8LL] = v31;
  const float v32 = v31 - v5;
  const float v33 = v10 + v32;
  const float v34 = v29 ? v33 : v10;
  float v35 = v34;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v35, distance);
    v35 = v35 + other;
  }
  const float v37 = v35 / 257.0f;
  const float v38 = -v5;
  float v40 = 0.0f;
  #pragma unroll
  for (long long i42 = 0LL; i42 < 4LL; i42 += 1LL) {
    const long long v43 = i42 * 2LL;
    const long long v44 = v43 + 1LL;
    const float v45 = own_stripe0[v43];
    const float v46 = fmaf(v45, 1.0f, v38);
    const float v47 = v46 - v37;
    own_stripe1[v43] = v47;
    const float v48 = v47 * v47;
    const float v49 = v40 + v48;
    const float v50 = own_stripe0[v44];
    const float v51 = fmaf(v50, 1.0f, v38);
    const float v52 = v51 - v37;
    own_stripe1[v44] = v52;
    const float v53 = v52 * v52;
    const float v54 = v49 + v53;
    v40 = v54;
  }
  const float v55 = own_stripe0[8LL];
  const float v56 = fmaf(v55, 1.0f, v38);
  const float v57 = v56 - v37;
  own_stripe1[8LL] = v57;
  const float v58 = v57 * v57;
  const float v59 = v40 + v58;
  const float v60 = v29 ? v59 : v40;
  float v61 = v60;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v61, distance);
    v61 = v61 + other;
  }
  const float v63 = v61 / 257.0f;
  const float v64 = v63 + n_eps;
  const float v65 = __frsqrt_rn(v64);
  const long long v67 = group * n_y_stride0;
  #pragma unroll
  for (long long i68 = 0LL; i68 < 4LL; i68 += 1LL) {
    const long long v69 = i68 * 64LL;
    const long long v70 = i68 * 2LL;
    const long long v71 = v69 + 1LL;
    const long long v72 = v70 + 1LL;
    const Pack<float, 2> pack0 = load_pack<2>(p_bias + v69 + lane * 2LL);
    const float v73 = pack0.item[0];
    const Pack<float, 2> pack1 = load_pack<2>(p_weight + v69 + lane * 2LL);
    const float v74 = pack1.item[0];
    const float v75 = own_stripe1[v70];
    const float v76 = v75 * v65;
    const float v77 = v76 * v74;
    const float v78 = v77 + v73;
    const long long v79 = v67 + v69;
    p_y[v79 + lane * 2LL] = v78;
    const float v80 = pack0.item[1];
    const float v81 = pack1.item[1];
    const float v82 = own_stripe1[v72];
    const float v83 = v82 * v65;
    const float v84 = v83 * v81;
    const float v85 = v84 + v80;
    const long long v86 = v79 + 1LL;
    p_y[v86 + lane * 2LL] = v85;
  }
  const float v87 = v29 ? p_bias[256LL + lane * 2LL] : 0.0f;
  const float v88 = v29 ? p_weight[256LL + lane * 2LL] : 0.0f;
  const float v89 = own_stripe1[8LL];
  const float v90 = v89 * v65;
  const float v91 = v90 * v88;
  const float v92 = v91 + v87;
  const long long v93 = v67 + 256LL;
  if (v29) p_y[v93 + lane * 2LL] = v92;
}
