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
  const long long group = blockIdx.x;
  const int v2 = (int)group;
  const int v4 = (int)(v2 & 1);
  const int v6 = (int)v4;
  const int v8 = v6 + 257;
  const int v11 = lane * 2;
  const bool v13 = v11 >= v6;
  const bool v15 = v13 != true;
  const int v18 = (int)n_x_stride0;
  const int v19 = v2 * v18;
  const int v21 = (int)(v19 & (-2));
  const int v22 = v21 + 1;
  const Pack<float, 2> pack0 = v13 ? load_pack<2>(p_x + (v21 + lane * 2)) : Pack<float, 2>{};
  const float v23 = v13 ? pack0.item[0] : 0.0f;
  const float v24 = v13 ? pack0.item[1] : 0.0f;
  const bool v25 = __any_sync(0xffffffffU, v15) != 0;
  const int v26 = (int)v25;
  const bool v27 = v13 & v15;
  float v28 = 0.0f;
  float v30 = 0.0f;
  for (int i32 = 0; i32 < v26; i32 += 1) {
    const float v33 = v27 ? p_x[v21 + lane * 2] : 0.0f;
    const float v34 = v15 ? p_x[v22 + lane * 2] : 0.0f;
    v28 = v33;
    v30 = v34;
  }
  const float v35 = v13 ? v23 : v28;
  const float v36 = v13 ? v24 : v30;
  const float v37 = 0.0f + v35;
  const float v38 = v13 ? v37 : 0.0f;
  const float v39 = v38 + v36;
  float v41 = v39;
  #pragma unroll
  for (int i43 = 0; i43 < 3; i43 += 1) {
    const int v44 = i43 * 64;
    const int v45 = v21 + v44;
    const int v46 = v45 + 64;
    const Pack<float, 2> pack1 = load_pack<2>(p_x + (v45 + 64 + lane * 2));
    const float v47 = pack1.item[0];
    const float v48 = v41 + v47;
    const int v49 = v45 + 65;
    const float v50 = pack1.item[1];
    const float v51 = v48 + v50;
    v41 = v51;
  }
  const int v55 = v11 + 256;
  const int v56 = v11 + 257;
  const bool v57 = v55 < v8;
  const bool v58 = v56 < v8;
  const bool v59 = v57 & v58;
  const bool v60 = v57 | v58;
  const bool v61 = v59 != true;
  const bool v62 = v60 & v61;
  const int v63 = v21 + 256;
  const int v64 = v21 + 257;
  const Pack<float, 2> pack2 = v59 ? load_pack<2>(p_x + (v21 + 256 + lane * 2)) : Pack<float, 2>{};
  const float v65 = v59 ? pack2.item[0] : 0.0f;
  const float v66 = v59 ? pack2.item[1] : 0.0f;
  const bool v67 = __any_sync(0xffffffffU, v62) != 0;
  const int v68 = (int)v67;
  const bool v69 = v57 & v62;
  const bool v70 = v58 & v62;
  float v71 = 0.0f;
  float v73 = 0.0f;
  for (int i75 = 0; i75 < v68; i75 += 1) {
    const float v76 = v69 ? p_x[v63 + lane * 2] : 0.0f;
    const float v77 = v70 ? p_x[v64 + lane * 2] : 0.0f;
    v71 = v76;
    v73 = v77;
  }
  const float v78 = v59 ? v65 : v71;
  const float v79 = v59 ? v66 : v73;
  const float v80 = v41 + v78;
  const float v81 = v57 ? v80 : v41;
  const float v82 = v81 + v79;
  const float v83 = v58 ? v82 : v81;
  float v84 = v83;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v84, distance);
    v84 = v84 + other;
  }
  if (lane == 0) p_y[v2] = v84;
}
