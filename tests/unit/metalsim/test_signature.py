"""A signature says what binding asks about, and survives its text."""

from certile.metalsim import Library
from certile.metalsim.reader import parse
from certile.metalsim.signature import Entry, FunctionConstant, Signature, Slot, signature_of
from tests.metalsim.texts import HEAD

TEXT = (
    HEAD
    + """
struct Pair { int a; float b; };
constant bool wide [[function_constant(7)]];
constant int count [[function_constant(2)]];
static inline float total(float x) { return simd_sum(x); }
static inline float twice(float x) { return 2.0f * x; }
[[max_total_threads_per_threadgroup(64)]]
kernel void meets(device float* y [[buffer(3)]], constant Pair& p [[buffer(0)]],
                  threadgroup float* room [[threadgroup(1)]]) {
    room[0] = wide ? p.b : float(count);
    y[0] = total(room[0]);
}
kernel void alone(device const int* x [[buffer(0)]], device int* y [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) { y[i] = x[i] + int(twice(1.0f)); }
"""
)
SIGNATURE = Signature(
    kernels=(
        Entry(
            "meets",
            (Slot("y", 3, "float", False, False), Slot("p", 0, "Pair", True, True)),
            (1,),
            64,
            True,
        ),
        Entry(
            "alone",
            (Slot("x", 0, "int", True, False), Slot("y", 1, "int", False, False)),
            (),
            None,
            False,
        ),
    ),
    constants=(FunctionConstant(7, "bool", 0), FunctionConstant(2, "int", 8)),
)


def test_the_signature_of_a_text():
    assert signature_of(parse(TEXT)) == SIGNATURE


def test_its_text_gives_it_back():
    assert Signature.read(SIGNATURE.text()) == SIGNATURE


def test_a_library_holds_it():
    library = Library(TEXT)
    assert library.names == ("meets", "alone")
    assert [library.kernel(name).signature for name in library.names] == list(SIGNATURE.kernels)
