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

extern "C" __global__ void __launch_bounds__(32) sum_kernel_89f17e8f9535_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0) {
  const int lane = threadIdx.x & 31;
  const int group = blockIdx.x;
  const int v3 = (int)(group & 1);
  const int v5 = (int)v3;
  const int v7 = v5 + 257;
  const int v10 = lane * 2;
  const bool v12 = v10 >= v5;
  const bool v14 = v12 != true;
  const int v17 = (int)n_x_stride0;
  const int v18 = group * v17;
  const int v20 = (int)(v18 & (-2));
  const int v21 = v20 + 1;
  const Pack<float, 2> pack0 = v12 ? load_pack<2>(p_x + (v20 + lane * 2)) : Pack<float, 2>{};
  const float v22 = v12 ? pack0.item[0] : 0.0f;
  const float v23 = v12 ? pack0.item[1] : 0.0f;
  const bool v24 = __any_sync(0xffffffffU, v14) != 0;
  const int v25 = (int)v24;
  const bool v26 = v12 & v14;
  float v27 = 0.0f;
  float v29 = 0.0f;
  for (int i31 = 0; i31 < v25; i31 += 1) {
    const float v32 = v26 ? p_x[v20 + lane * 2] : 0.0f;
    const float v33 = v14 ? p_x[v21 + lane * 2] : 0.0f;
    v27 = v32;
    v29 = v33;
  }
  const float v34 = v12 ? v22 : v27;
  const float v35 = v12 ? v23 : v29;
  const float v36 = 0.0f + v34;
  const float v37 = v12 ? v36 : 0.0f;
  const float v38 = v37 + v35;
  float v40 = v38;
  #pragma unroll
  for (int i42 = 0; i42 < 3; i42 += 1) {
    const int v43 = i42 * 64;
    const int v44 = v20 + v43;
    const int v45 = v44 + 64;
    const Pack<float, 2> pack1 = load_pack<2>(p_x + (v44 + 64 + lane * 2));
    const float v46 = pack1.item[0];
    const float v47 = v40 + v46;
    const int v48 = v44 + 65;
    const float v49 = pack1.item[1];
    const float v50 = v47 + v49;
    v40 = v50;
  }
  const int v54 = v10 + 256;
  const int v55 = v10 + 257;
  const bool v56 = v54 < v7;
  const bool v57 = v55 < v7;
  const bool v58 = v56 & v57;
  const bool v59 = v56 | v57;
  const bool v60 = v58 != true;
  const bool v61 = v59 & v60;
  const int v62 = v20 + 256;
  const int v63 = v20 + 257;
  const Pack<float, 2> pack2 = v58 ? load_pack<2>(p_x + (v20 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v64 = v58 ? pack2.item[0] : 0.0f;
  const float v65 = v58 ? pack2.item[1] : 0.0f;
  const bool v66 = __any_sync(0xffffffffU, v61) != 0;
  const int v67 = (int)v66;
  const bool v68 = v56 & v61;
  const bool v69 = v57 & v61;
  float v70 = 0.0f;
  float v72 = 0.0f;
  for (int i74 = 0; i74 < v67; i74 += 1) {
    const float v75 = v68 ? p_x[v62 + lane * 2] : 0.0f;
    const float v76 = v69 ? p_x[v63 + lane * 2] : 0.0f;
    v70 = v75;
    v72 = v76;
  }
  const float v77 = v58 ? v64 : v70;
  const float v78 = v58 ? v65 : v72;
  const float v79 = v40 + v77;
  const float v80 = v56 ? v79 : v40;
  const float v81 = v80 + v78;
  const float v82 = v57 ? v81 : v80;
  float v83 = v82;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v83, distance);
    v83 = v83 + other;
  }
  if (lane == 0) p_y[group] = v83;
}
