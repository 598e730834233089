"""Codes X…: Metal text that is checked or run on a CPU.

In: literals.  Out: `METAL_TEXT`.  Decides their wording.  Leaves raising to `certile.metalsim`.
"""

from certile.codes.entry import Code

__all__ = ["METAL_TEXT"]

METAL_TEXT: tuple[Code, ...] = (
    Code(
        "X001",
        "A form outside the subset",
        "The text holds a form that the checker does not understand.  It is refused, because a "
        "guess could run something else than a device would.",
        'metalsim.check("kernel void k() { auto f = [] {}; }")',
        "Write the form as certile/metalsim/SUBSET.md describes",
    ),
    Code(
        "X002",
        "An unknown or misplaced attribute",
        "A `[[…]]` attribute is missing, not known, or stands at something that it cannot mark.",
        'metalsim.check("kernel void k(device float* x) {}")',
        "Give each kernel parameter exactly one attribute that MSL defines for it",
    ),
    Code(
        "X003",
        "A built-in value of the wrong type",
        "Indices are uint or ushort; positions and extents are those or vectors of them, and all "
        "positions of one kernel have the same number of components.",
        'metalsim.check("kernel void k(uint3 lane [[thread_index_in_simdgroup]]) {}")',
        "Declare the parameter with one of the types listed",
    ),
    Code(
        "X004",
        "An index is bound twice",
        "Two buffer or two threadgroup parameters of one kernel, or two function constants, have "
        "the same index.",
        'metalsim.check("kernel void k(device int* a [[buffer(0)]], device int* b [[buffer(0)]])")',
        "Give each parameter an index of its own",
    ),
    Code(
        "X005",
        "An index is out of range",
        "A kernel has buffers 0 to 30 and threadgroup parameters 0 to 7, and a text at most 512 "
        "function constants.",
        'metalsim.check("kernel void k(device int* a [[buffer(31)]]) {}")',
        "Pass several values in one struct",
    ),
    Code(
        "X006",
        "double",
        "MSL has no 64-bit floating-point type.",
        'metalsim.check("kernel void k() { double x = 0; }")',
        "Use float, or two floats",
    ),
    Code(
        "X007",
        "A cast changes more than the pointee",
        "A pointer cast may change the type pointed to; it may not lead into another address space "
        "or drop const.",
        'metalsim.check("… threadgroup float* p = (threadgroup float*)x; …")',
        "Keep the address space and const in the type of the cast",
    ),
    Code(
        "X008",
        "Too much threadgroup memory",
        "The threadgroup variables of one kernel take more than the 32768 bytes that every Metal "
        "device has.",
        'metalsim.check("kernel void k() { threadgroup float s[10240]; }")',
        "Share less, or share it in turns",
    ),
    Code(
        "X009",
        "Too many threads",
        "A threadgroup has at most 1024 threads.",
        'metalsim.check("[[max_total_threads_per_threadgroup(2048)]] kernel void k() {}")',
        "Launch smaller threadgroups",
    ),
    Code(
        "X010",
        "The text does not compile",
        "The front end rejects the text: an unknown name, types that do not fit, address spaces "
        "that mix.",
        'metalsim.check("kernel void k() { int x = y; }")',
        "Correct the text at the place given",
    ),
    Code(
        "X011",
        "A variable is read before it has a value",
        "On some path a private variable is read that nothing was assigned to.",
        'metalsim.check("kernel void k(device int* y [[buffer(0)]]) { int x; y[0] = x; }")',
        "Give the variable a value where it is declared",
    ),
    Code(
        "X012",
        "A name is taken",
        "Two functions of one text have the same name.",
        'metalsim.check("kernel void k() {} kernel void k() {}")',
        "Rename one of them",
    ),
    Code(
        "X020",
        "A launch does not fit its kernel",
        "Buffers, extents or constants given to a launch are not those that the kernel declares.",
        "library.kernel('k').run({}, (1, 1, 1), (32, 1, 1))",
        "Bind every declared index with an array of the declared type",
    ),
    Code(
        "X021",
        "Texts that cannot be one",
        "Two texts give one name to different functions, constants or kernels, or their pragmas "
        "differ, so one text cannot hold both.",
        "metalsim.joined([text, other])",
        "Give each kernel and helper a name of its own, or load the texts apart",
    ),
    Code(
        "X030",
        "No clang",
        "Metal text is compiled by clang 16 or later, and none was found.",
        "CERTILE_CLANG=/nowhere certile run sum --shape 4x4 --target metal-sim",
        "Install clang (apt-get install clang-19) or set CERTILE_CLANG",
    ),
    Code(
        "X031",
        "clang failed on text that passed the check",
        "This is a fault of the package, or of the installed clang: text that passed the check "
        "must compile.",
        "metalsim.Library(text)",
        "Report the text; another clang may accept it",
    ),
    Code(
        "X032",
        "Running Metal text needs Linux",
        "The runtime that executes Metal text on a CPU relies on Linux: memory maps, signals and "
        "line tables.  Checking a text works on every system with clang.",
        "metalsim.Library(text)  # under macOS",
        "Run it under Linux, for example in CI",
    ),
    Code(
        "X033",
        "No folder takes a compiled kernel",
        "A Metal kernel that runs on a CPU is a shared library, and neither the cache folder nor "
        "the folder of temporary files could hold it: the disk is full, or not to be written.",
        "TMPDIR=/full certile run sum --shape 4x4 --target metal-sim",
        "Free some space, or set TMPDIR or CERTILE_CACHE_DIR to another folder",
    ),
)
