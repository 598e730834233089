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
  float v26 = v22;
  float v28 = v23;
  for (int i30 = 0; i30 < v25; i30 += 1) {
    const float v31 = v14 ? p_x[v21 + lane * 2] : v28;
    v28 = v31;
  }
  const float v32 = 0.0f + v26;
  const float v33 = v12 ? v32 : 0.0f;
  const float v34 = v33 + v28;
  float v36 = v34;
  #pragma unroll
  for (int i38 = 0; i38 < 3; i38 += 1) {
    const int v39 = i38 * 64;
    const int v40 = v20 + v39;
    const int v41 = v40 + 64;
    const Pack<float, 2> pack1 = load_pack<2>(p_x + (v40 + 64 + lane * 2));
    const float v42 = pack1.item[0];
    const float v43 = v36 + v42;
    const int v44 = v40 + 65;
    const float v45 = pack1.item[1];
    const float v46 = v43 + v45;
    v36 = v46;
  }
  const int v50 = v10 + 256;
  const int v51 = v10 + 257;
  const bool v52 = v50 < v7;
  const bool v53 = v51 < v7;
  const bool v54 = v53 != true;
  const bool v55 = v52 & v54;
  const int v56 = v20 + 256;
  const int v57 = v20 + 257;
  const Pack<float, 2> pack2 = v53 ? load_pack<2>(p_x + (v20 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v58 = v53 ? pack2.item[0] : 0.0f;
  const float v59 = v53 ? pack2.item[1] : 0.0f;
  const bool v60 = v52 & v55;
  const bool v61 = __any_sync(0xffffffffU, v55) != 0;
  const int v62 = (int)v61;
  float v63 = v58;
  float v65 = v59;
  for (int i67 = 0; i67 < v62; i67 += 1) {
    const float v68 = v60 ? p_x[v56 + lane * 2] : v63;
    v63 = v68;
  }
  const float v69 = v36 + v63;
  const float v70 = v52 ? v69 : v36;
  const float v71 = v70 + v65;
  const float v72 = v53 ? v71 : v70;
  float v73 = v72;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v73, distance);
    v73 = v73 + other;
  }
  if (lane == 0) p_y[group] = v73;
}
