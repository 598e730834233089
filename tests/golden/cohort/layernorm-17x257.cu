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
  const int v2 = (int)group;
  const int v5 = (int)n_x_stride0;
  const int v6 = v2 * v5;
  const float v7 = p_x[v6];
  float v12 = 0.0f;
  #pragma unroll
  for (int i14 = 0; i14 < 4; i14 += 1) {
    const int v15 = i14 * 64;
    const int v16 = i14 * 2;
    const int v17 = v16 + 1;
    const int v18 = v6 + v15;
    const float v19 = p_x[v18 + lane * 2];
    own_stripe0[v16] = v19;
    const float v20 = v19 - v7;
    const float v21 = v12 + v20;
    const int v22 = v18 + 1;
    const float v23 = p_x[v22 + lane * 2];
    own_stripe0[v17] = v23;
    const float v24 = v23 - v7;
    const float v25 = v21 + v24;
    v12 = v25;
  }
  const int v29 = lane * 2;
  const bool v30 = v29 < 2;
  const int v31 = v6 + 256;
  const float v32 = v30 ? p_x[v31 + lane * 2] : 0.0f;
  own_stripe0[8] = v32;
  const float v33 = v32 - v7;
  const float v34 = v12 + v33;
  const float v35 = v30 ? v34 : v12;
  float v36 = v35;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v36, distance);
    v36 = v36 + other;
  }
  const float v38 = v36 / 257.0f;
  const float v39 = -v7;
  float v41 = 0.0f;
  #pragma unroll
  for (int i43 = 0; i43 < 4; i43 += 1) {
    const int v44 = i43 * 2;
    const int v45 = v44 + 1;
    const float v46 = own_stripe0[v44];
    const float v47 = fmaf(v46, 1.0f, v39);
    const float v48 = v47 - v38;
    own_stripe1[v44] = v48;
    const float v49 = v48 * v48;
    const float v50 = v41 + v49;
    const float v51 = own_stripe0[v45];
    const float v52 = fmaf(v51, 1.0f, v39);
    const float v53 = v52 - v38;
    own_stripe1[v45] = v53;
    const float v54 = v53 * v53;
    const float v55 = v50 + v54;
    v41 = v55;
  }
  const float v56 = own_stripe0[8];
  const float v57 = fmaf(v56, 1.0f, v39);
  const float v58 = v57 - v38;
  own_stripe1[8] = v58;
  const float v59 = v58 * v58;
  const float v60 = v41 + v59;
  const float v61 = v30 ? v60 : v41;
  float v62 = v61;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v62, distance);
    v62 = v62 + other;
  }
  const float v64 = v62 / 257.0f;
  const float v65 = v64 + n_eps;
  const float v66 = __frsqrt_rn(v65);
  const int v68 = (int)n_y_stride0;
  const int v69 = v2 * v68;
  #pragma unroll
  for (int i70 = 0; i70 < 4; i70 += 1) {
    const int v71 = i70 * 64;
    const int v72 = i70 * 2;
    const int v73 = v71 + 1;
    const int v74 = v72 + 1;
    const Pack<float, 2> pack0 = load_pack<2>(p_bias + (v71 + lane * 2));
    const float v75 = pack0.item[0];
    const Pack<float, 2> pack1 = load_pack<2>(p_weight + (v71 + lane * 2));
    const float v76 = pack1.item[0];
    const float v77 = own_stripe1[v72];
    const float v78 = v77 * v66;
    const float v79 = v78 * v76;
    const float v80 = v79 + v75;
    const int v81 = v69 + v71;
    p_y[v81 + lane * 2] = v80;
    const float v82 = pack0.item[1];
    const float v83 = pack1.item[1];
    const float v84 = own_stripe1[v74];
    const float v85 = v84 * v66;
    const float v86 = v85 * v83;
    const float v87 = v86 + v82;
    const int v88 = v81 + 1;
    p_y[v88 + lane * 2] = v87;
  }
  const float v89 = v30 ? p_bias[256 + lane * 2] : 0.0f;
  const float v90 = v30 ? p_weight[256 + lane * 2] : 0.0f;
  const float v91 = own_stripe1[8];
  const float v92 = v91 * v66;
  const float v93 = v92 * v90;
  const float v94 = v93 + v89;
  const int v95 = v69 + 256;
  if (v30) p_y[v95 + lane * 2] = v94;
}
