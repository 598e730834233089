"""Each static rule, each kind of refusal: code and line; and good texts without a complaint."""

import pytest

from certile.metalsim import check
from tests.metalsim.texts import HEAD, ROW_SUM, SOFTMAX, small


@pytest.mark.parametrize("text", [SOFTMAX, ROW_SUM, HEAD])
def test_good_texts(text):
    assert check(text) == []


def kernel(parameters="", body="", before=""):
    """Return a text whose kernel stands on line 3 and whose body is line 4."""
    return f"{HEAD}{before}kernel void k({parameters}) {{\n{body}\n}}\n"


X = "device float* x [[buffer(0)]]"

SIGNATURES = [
    ("X002", "device float* x"),
    ("X002", "device float* x [[buffer]]"),
    ("X002", "device float* x [[texture(0)]]"),
    ("X002", "threadgroup float* x [[buffer(0)]]"),
    ("X002", "device float* x [[threadgroup(0)]]"),
    ("X002", "uint i [[position]]"),
    ("X002", "uint i [[thread_index_in_threadgroup(0)]]"),
    ("X003", "uint3 i [[thread_index_in_simdgroup]]"),
    ("X003", "int i [[thread_position_in_grid]]"),
    ("X003", "ulong i [[thread_index_in_threadgroup]]"),
    ("X003", "float3 i [[thread_position_in_grid]]"),
    ("X003", "uint3 i [[thread_position_in_grid]], uint t [[threads_per_threadgroup]]"),
    ("X004", "device float* x [[buffer(1)]], device float* y [[buffer(1)]]"),
    ("X004", "threadgroup int* x [[threadgroup(0)]], threadgroup int* y [[threadgroup(0)]]"),
    ("X005", "device float* x [[buffer(31)]]"),
    ("X006", "device double* x [[buffer(0)]]"),
    ("X001", "device float** x [[buffer(0)]]"),
    ("X002", "float x [[buffer(0)]]"),
    ("X001", "float* x [[buffer(0)]]"),
    ("X001", "device texture2d* x [[buffer(0)]]"),
    ("X001", "device unsigned int* x [[buffer(0)]]"),
]


@pytest.mark.parametrize(("code", "parameters"), SIGNATURES)
def test_signatures(code, parameters):
    assert [(d.code, d.line) for d in check(kernel(parameters))] == [(code, 3)]


BODIES = [
    # Outside the subset.
    ("X001", "auto f = 1;"),
    ("X001", "float y = x[0]; auto g = [](float a) { return a; };"),
    ("X001", "if (x[0] > 0.0f) { threadgroup float s[4]; s[0] = 1.0f; }"),
    ("X001", "threadgroup float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};"),
    ("X001", "threadgroup float a[2], b[2];"),
    ("X001", "threadgroup float s = 0.0f;"),
    ("X001", "static float s = 0.0f;"),
    ("X001", "goto end;"),
    ("X001", "long long s = 0;"),
    ("X001", "x[0] = float4(1.0f).xy.x;"),
    ("X001", "x[0] = float4(1.0f).r;"),
    ("X001", "x[0] = 1.0l;"),
    ("X001", "x[0] = float('a');"),
    ("X001", "volatile float y = 0.0f;"),
    ("X001", "x[0] = __builtin_expf(x[0]);"),
    ("X001", "msl_arena[0] = 1;"),
    ("X001", "#define N 4"),
    ("X001", 'asm("");'),
    ("X002", "[[unlikely]] if (x[0] > 0.0f) x[0] = 1.0f;"),
    ("X006", "double y = 0.0f;"),
    ("X001", "float4 v = (float4)(x[0], x[1], x[2], x[3]); x[0] = v.x;"),
    # Address spaces and const.
    ("X007", "threadgroup float* s = (threadgroup float*)x; s[0] = 1.0f;"),
    ("X007", "threadgroup float* s = (threadgroup float*)(x + 1); s[0] = 1.0f;"),
    ("X007", "device const float* c = x; device float* d = (device float*)c; d[0] = 1.0f;"),
    ("X007", "float p[4]; p[0] = 1.0f; device float* d = (device float*)&p[0]; d[0] = 1.0f;"),
    ("X010", "threadgroup float* s = x;"),
    ("X010", "float* p = x; p[0] = 1.0f;"),
    ("X010", "threadgroup float* s = reinterpret_cast<threadgroup float*>(nowhere);"),
    ("X007", "threadgroup float* s = reinterpret_cast<threadgroup float*>(x);"),
    ("X010", "float4 v = select(float4(0.0f), float4(1.0f), int4(1)); x[0] = v.x;"),
    ("X010", "float4 v = (float4)float2(x[0], x[1]); x[0] = v.x;"),
    # Limits.
    ("X008", "threadgroup float s[10240]; s[0] = 1.0f;"),
    ("X008", "threadgroup float4 s[2047]; threadgroup char c[33]; s[0] = float4(0.0f); c[0] = 1;"),
    # Types and overloads.
    ("X010", "x[0] = exp(1);"),
    ("X010", "x[0] = max(x[0], 0);"),
    ("X010", "x[0] = erf(x[0]);"),
    ("X010", "x[0] = expf(x[0]);"),
    ("X010", "x[0] = simd_sum(1l);"),
    ("X010", "x[0] = float(simd_shuffle_xor(true, 1));"),
    ("X010", "x[0] = float4(1.0f, 2.0f).x;"),
    ("X010", "x[0] = as_type<float>(short(1));"),
    ("X010", "x[0] = 1.0f"),
    ("X010", "threadgroup_barrier();"),
    ("X010", "x[0] = simd_smu(x[0]);"),
    ("X010", "x[0] = exp(bfloat(1.0f));"),
    ("X010", "bfloat b = 1.0f; x[0] = float(b);"),
    ("X011", "float y; x[0] = y;"),
    ("X011", "float y; if (x[0] > 0.0f) y = 1.0f; x[0] = y;"),
]


@pytest.mark.parametrize(("code", "body"), BODIES)
def test_bodies(code, body):
    found = check(kernel(X, body))
    assert {(d.code, d.line) for d in found} == {(code, 4)}, found


def test_write_to_a_constant_buffer():
    found = check(kernel("constant float& x [[buffer(0)]]", "x = 1.0f;"))
    assert [(d.code, d.line) for d in found] == [("X010", 4)]


TOP_LEVEL = [
    ("X001", "#include <metal_math>\n"),
    ("X001", "template <typename T> T twice(T x) { return x + x; }\n"),
    ("X001", "float later(float x);\n"),
    ("X001", "constexpr int n = 4;\n"),
    ("X001", "typedef float real;\n"),
    ("X001", "enum { a, b };\n"),
    ("X001", "constant float a = 1.0, b = 2.0;\n"),
    ("X001", "struct S { float x; void f() {} };\n"),
    ("X001", "struct S { device float* x; };\n"),
    ("X001", "static inline int f(int n) { return n < 2 ? 1 : n * f(n - 1); }\n"),
    ("X001", "using namespace std;\n"),
    ("X001", "static inline float f() { threadgroup float s[4]; return s[0]; }\n"),
    ("X001", "union U { int a; float b; }; struct S { U u; };\n"),
    ("X010", "union U { int a; float b; }; static inline void f() { U u; }\n"),
    ("X002", "constant int n [[function_konstant(1)]];\n"),
    ("X009", "[[max_total_threads_per_threadgroup(2048)]] kernel void j() {}\n"),
    ("X002", "[[visible]] kernel void j() {}\n"),
    ("X012", "kernel void k() {}\n"),
    ("X010", "static inline float f(float x) { }\n"),
]


@pytest.mark.parametrize(("code", "before"), TOP_LEVEL)
def test_top_level(code, before):
    found = check(kernel(X, "x[0] = 1.0f;", before))
    assert len(found) == 1, found
    assert found[0].code == code
    # A taken name is reported where it is taken the second time.
    assert found[0].line == (4 if code == "X012" else 3)


def test_a_function_constant_has_an_index_of_its_own():
    text = "constant int a [[function_constant(3)]];\nconstant int b [[function_constant(3)]];\n"
    assert [(d.code, d.line) for d in check(HEAD + text)] == [("X004", 4)]
    many = "".join(f"constant int n{i} [[function_constant({i})]];\n" for i in range(513))
    assert [(d.code, d.line) for d in check(HEAD + many)] == [("X005", 515)]


def test_every_refusal_is_reported_and_in_order():
    text = kernel("uint3 i [[thread_index_in_simdgroup]]", "goto out;", "typedef float real;\n")
    assert [(d.line, d.code) for d in check(text)] == [(3, "X001"), (4, "X003"), (5, "X001")]


def test_the_standard_library_must_be_included():
    assert [d.code for d in check("kernel void k() {}")] == ["X001"]


@pytest.mark.parametrize(
    "text", ["kernel", HEAD + "kernel void k(", HEAD + "struct", HEAD + "}", "$"]
)
def test_broken_text_is_refused(text):
    assert check(text)
    assert {d.code for d in check(text)} == {"X001"}


def test_columns_point_into_the_text():
    text = small("    x[tid] = nothing + 1;")
    (found,) = check(text)
    line = text.splitlines()[found.line - 1]
    assert line[found.column - 1 :].startswith("nothing")


GOOD_BODIES = [
    "half4 h = (half4)*(device float4*)(x + 4); x[0] = float(h.x) + ((float4)h)[1];",
    "float4 a = float4(x[0]); a = select(a, -a, a < float4(1.0f)); x[0] = ((float4)2.0f * a).x;",
    "float4 v = *(device const float4*)(x + 4); x[0] = v.x + v[1];",
    "half2 h = half2(half(x[0]), half(x[1])); x[0] = float(h.x) + float(h.y);",
    "x[0] = select(1.0, 2.5e-3, x[0] > 0.0) + 0x1.8p1f + .5f + 1e3;",
    "uint u = as_type<uint>(x[0]) & 0x7fffffffu; x[0] = as_type<float>(u);",
    "x[0] = precise::exp(x[0]) + fast::log(x[1]) + metal::sqrt(x[2]);",
    "constexpr int n = 4; threadgroup float s[n * 8]; s[0] = x[0]; x[1] = s[0];",
    "threadgroup float s[4][8]; threadgroup float* p = &s[1][0]; p[0] = 1.0f; x[0] = s[1][0];",
    "#pragma unroll\nfor (int i = 0; i < 4; ++i) x[i] = float(i);",
    "x[0] = clamp(rint(x[0]), -1.0f, 1.0f) + fma(x[0], x[1], x[2]) + ldexp(x[0], 3);",
    "bfloat b = bfloat(x[0]); x[1] = float(b) * 2.0f; half h = half(1.5h); x[2] = float(h);",
    "int i = int(x[0]); x[0] = float(popcount(i) + clz(i) + ctz(i) + abs(i) + max(i, 3));",
    "do { x[0] -= 1.0f; if (x[0] < 0.0f) break; } while (x[0] > 1.0f);",
    "device float* row = x + 3; row[0] = isnan(row[1]) ? NAN : row[1];",
    "ulong4 w = ulong4(1ul, 2ul, 3ul, 4ul); x[0] = float(w.w);",
    "char4 c = char4(1); x[1] = float(c.y);",
    "float2 a = float2(x[0], x[1]); float4 b = float4(a, a); b = max(b, float4(0.0f)); x[0] = b.w;",
    "float4 h = float4(half4(half(1.0f))); x[0] = -h.x;",
]


@pytest.mark.parametrize("body", GOOD_BODIES)
def test_good_bodies(body):
    assert check(kernel(X, body)) == []
