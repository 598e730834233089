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

template <typename T, int N>
__device__ __forceinline__ void store_pack(T* to, Pack<T, N> pack) {
  union { typename Words<N * sizeof(T)>::type words; Pack<T, N> pack; } both;
  both.pack = pack;
  __stwb((typename Words<N * sizeof(T)>::type*)to, both.words);
}

template <typename T> __device__ __forceinline__ T max_nan(T a, T b) {
  return (a > b || a != a) ? a : b;
}
template <> __device__ __forceinline__ float max_nan<float>(float a, float b) {
  float value;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(value) : "f"(a), "f"(b));
  return value;
}

extern "C" __global__ void __launch_bounds__(1024) softmax_kernel_8a0120a3d32f_0(const float* __restrict__ p_x, float* __restrict__ p_y, long long n_x_stride0, long long n_y_stride0) {
  __builtin_assume(n_x_stride0 % 16 == 0);
  __builtin_assume(n_y_stride0 % 16 == 0);
  const int lane = threadIdx.x & 31;
  const int subgroup = threadIdx.x >> 5;
  const int group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  float own_stripe0[4];
  float own_stripe1[4];
  const int v5 = subgroup * 128;
  const int v9 = (int)n_x_stride0;
  const int v10 = group * v9;
  const int v11 = v10 + v5;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v11 + lane * 4));
  const float v12 = pack0.item[0];
  own_stripe0[0] = v12;
  const int v13 = v11 + 1;
  const float v14 = pack0.item[1];
  own_stripe0[1] = v14;
  const float v15 = max_nan(v12, v14);
  const int v16 = v11 + 2;
  const float v17 = pack0.item[2];
  own_stripe0[2] = v17;
  const float v18 = max_nan(v15, v17);
  const int v19 = v11 + 3;
  const float v20 = pack0.item[3];
  own_stripe0[3] = v20;
  const float v21 = max_nan(v18, v20);
  float v22 = v21;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v22, distance);
    v22 = max_nan(v22, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v22;
  __syncthreads();
  const float v24 = shared_partial0[lane];
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  const float v27 = own_stripe0[0];
  const float v28 = v27 - v25;
  const float v29 = expf(v28);
  own_stripe1[0] = v29;
  const float v30 = 0.0f + v29;
  const float v31 = own_stripe0[1];
  const float v32 = v31 - v25;
  const float v33 = expf(v32);
  own_stripe1[1] = v33;
  const float v34 = v30 + v33;
  const float v35 = own_stripe0[2];
  const float v36 = v35 - v25;
  const float v37 = expf(v36);
  own_stripe1[2] = v37;
  const float v38 = v34 + v37;
  const float v39 = own_stripe0[3];
  const float v40 = v39 - v25;
  const float v41 = expf(v40);
  own_stripe1[3] = v41;
  const float v42 = v38 + v41;
  float v43 = v42;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v43, distance);
    v43 = v43 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v43;
  __syncthreads();
  const float v44 = shared_partial1[lane];
  float v45 = v44;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v45, distance);
    v45 = v45 + other;
  }
  const float v47 = 1.0f / v45;
  const float v48 = own_stripe1[0];
  const float v49 = v48 * v47;
  const int v51 = (int)n_y_stride0;
  const int v52 = group * v51;
  const int v53 = v52 + v5;
  const float v54 = own_stripe1[1];
  const float v55 = v54 * v47;
  const int v56 = v53 + 1;
  const float v57 = own_stripe1[2];
  const float v58 = v57 * v47;
  const int v59 = v53 + 2;
  const float v60 = own_stripe1[3];
  const float v61 = v60 * v47;
  const int v62 = v53 + 3;
  store_pack(p_y + (v53 + lane * 4), Pack<float, 4>{{v49, v55, v58, v61}});
}
