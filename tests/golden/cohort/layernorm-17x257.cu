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
  const int group = blockIdx.x;
  float own_stripe0[9];
  float own_stripe1[9];
  const int v4 = (int)n_x_stride0;
  const int v5 = group * v4;
  const float v6 = p_x[v5];
  float v11 = 0.0f;
  #pragma unroll
  for (int i13 = 0; i13 < 4; i13 += 1) {
    const int v14 = i13 * 64;
    const int v15 = i13 * 2;
    const int v16 = v15 + 1;
    const int v17 = v5 + v14;
    const float v18 = p_x[v17 + lane * 2];
    own_stripe0[v15] = v18;
    const float v19 = v18 - v6;
    const float v20 = v11 + v19;
    const int v21 = v17 + 1;
    const float v22 = p_x[v21 + lane * 2];
    own_stripe0[v16] = v22;
    const float v23 = v22 - v6;
    const float v24 = v20 + v23;
    v11 = v24;
  }
  const int v28 = lane * 2;
  const bool v29 = v28 < 2;
  const int v30 = v5 + 256;
  const float v31 = v29 ? p_x[v30 + lane * 2] : 0.0f;
  own_stripe0[8] = v31;
  const float v32 = v31 - v6;
  const float v33 = v11 + v32;
  const float v34 = v29 ? v33 : v11;
  float v35 = v34;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v35, distance);
    v35 = v35 + other;
  }
  const float v37 = v35 / 257.0f;
  const float v38 = -v6;
  float v40 = 0.0f;
  #pragma unroll
  for (int i42 = 0; i42 < 4; i42 += 1) {
    const int v43 = i42 * 2;
    const int v44 = v43 + 1;
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
  const float v55 = own_stripe0[8];
  const float v56 = fmaf(v55, 1.0f, v38);
  const float v57 = v56 - v37;
  own_stripe1[8] = v57;
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
  const int v67 = (int)n_y_stride0;
  const int v68 = group * v67;
  #pragma unroll
  for (int i69 = 0; i69 < 4; i69 += 1) {
    const int v70 = i69 * 64;
    const int v71 = i69 * 2;
    const int v72 = v70 + 1;
    const int v73 = v71 + 1;
    const Pack<float, 2> pack0 = load_pack<2>(p_bias + (v70 + lane * 2));
    const float v74 = pack0.item[0];
    const Pack<float, 2> pack1 = load_pack<2>(p_weight + (v70 + lane * 2));
    const float v75 = pack1.item[0];
    const float v76 = own_stripe1[v71];
    const float v77 = v76 * v65;
    const float v78 = v77 * v75;
    const float v79 = v78 + v74;
    const int v80 = v68 + v70;
    p_y[v80 + lane * 2] = v79;
    const float v81 = pack0.item[1];
    const float v82 = pack1.item[1];
    const float v83 = own_stripe1[v73];
    const float v84 = v83 * v65;
    const float v85 = v84 * v82;
    const float v86 = v85 + v81;
    const int v87 = v80 + 1;
    p_y[v87 + lane * 2] = v86;
  }
  const float v88 = v29 ? p_bias[256 + lane * 2] : 0.0f;
  const float v89 = v29 ? p_weight[256 + lane * 2] : 0.0f;
  const float v90 = own_stripe1[8];
  const float v91 = v90 * v65;
  const float v92 = v91 * v89;
  const float v93 = v92 + v88;
  const int v94 = v68 + 256;
  if (v29) p_y[v94 + lane * 2] = v93;
}
