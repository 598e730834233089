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
  const long long group = blockIdx.x;
  __shared__ float shared_partial0[32];
  __shared__ float shared_partial1[32];
  float own_stripe0[4];
  float own_stripe1[4];
  const int v3 = (int)group;
  const int v7 = subgroup * 128;
  const int v11 = (int)n_x_stride0;
  const int v12 = v3 * v11;
  const int v13 = v12 + v7;
  const Pack<float, 4> pack0 = load_pack<4>(p_x + (v13 + lane * 4));
  const float v14 = pack0.item[0];
  own_stripe0[0] = v14;
  const float v15 = max_nan(__uint_as_float(0xff800000U), v14);
  const int v16 = v13 + 1;
  const float v17 = pack0.item[1];
  own_stripe0[1] = v17;
  const float v18 = max_nan(v15, v17);
  const int v19 = v13 + 2;
  const float v20 = pack0.item[2];
  own_stripe0[2] = v20;
  const float v21 = max_nan(v18, v20);
  const int v22 = v13 + 3;
  const float v23 = pack0.item[3];
  own_stripe0[3] = v23;
  const float v24 = max_nan(v21, v23);
  float v25 = v24;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v25, distance);
    v25 = max_nan(v25, other);
  }
  if (lane == 0) shared_partial0[subgroup] = v25;
  __syncthreads();
  const float v27 = shared_partial0[lane];
  float v28 = v27;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v28, distance);
    v28 = max_nan(v28, other);
  }
  const float v30 = own_stripe0[0];
  const float v31 = v30 - v28;
  const float v32 = expf(v31);
  own_stripe1[0] = v32;
  const float v33 = 0.0f + v32;
  const float v34 = own_stripe0[1];
  const float v35 = v34 - v28;
  const float v36 = expf(v35);
  own_stripe1[1] = v36;
  const float v37 = v33 + v36;
  const float v38 = own_stripe0[2];
  const float v39 = v38 - v28;
  const float v40 = expf(v39);
  own_stripe1[2] = v40;
  const float v41 = v37 + v40;
  const float v42 = own_stripe0[3];
  const float v43 = v42 - v28;
  const float v44 = expf(v43);
  own_stripe1[3] = v44;
  const float v45 = v41 + v44;
  float v46 = v45;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v46, distance);
    v46 = v46 + other;
  }
  if (lane == 0) shared_partial1[subgroup] = v46;
  __syncthreads();
  const float v47 = shared_partial1[lane];
  float v48 = v47;
  #pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffU, v48, distance);
    v48 = v48 + other;
  }
  const float v50 = 1.0f / v48;
  const float v51 = own_stripe1[0];
  const float v52 = v51 * v50;
  const int v54 = (int)n_y_stride0;
  const int v55 = v3 * v54;
  const int v56 = v55 + v7;
  const float v57 = own_stripe1[1];
  const float v58 = v57 * v50;
  const int v59 = v56 + 1;
  const float v60 = own_stripe1[2];
  const float v61 = v60 * v50;
  const int v62 = v56 + 2;
  const float v63 = own_stripe1[3];
  const float v64 = v63 * v50;
  const int v65 = v56 + 3;
  store_pack(p_y + (v56 + lane * 4), Pack<float, 4>{{v52, v58, v61, v64}});
}
