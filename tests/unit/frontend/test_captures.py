"""When an earlier trace still holds: globals, closures, defaults, helpers, containers."""

import functools
import types

import pytest

import certile as ct
from certile.frontend.captures import Captures
from certile.frontend.spec import ConstantSpec


def build(source, **names):
    namespace = {"ct": ct, "__name__": "somewhere", **names}
    exec(source, namespace)
    return namespace["kernel"], namespace


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (123, 1234),
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ("a", "b"),
        ((1, 2), (1, 3)),
        (ct.f32, ct.f16),
        (None, 0),
    ],
)
def test_a_global_that_changes(before, after):
    kernel, namespace = build("def kernel(x): return V", V=before)
    captures = Captures(kernel)
    assert captures.hold()
    namespace["V"] = after
    assert not captures.hold()
    namespace["V"] = before
    assert captures.hold()


def test_an_equal_number_is_the_same():
    kernel, namespace = build("def kernel(x): return V", V=1e9 + 0.5)
    captures = Captures(kernel)
    namespace["V"] = float(str(1e9 + 0.5))
    assert captures.hold()


@pytest.mark.parametrize("container", [[1, 2], {"a": 1}, {1, 2}])
def test_a_container_that_is_changed_in_place(container):
    kernel, _ = build("def kernel(x): return V", V=container)
    captures = Captures(kernel)
    assert captures.hold()
    if isinstance(container, dict):
        container["a"] = 2
    else:
        getattr(container, "append", getattr(container, "add", None))(3)
    assert not captures.hold()


def test_what_a_container_holds_is_compared_by_value():
    number, other = float("1.5"), float("1.5")
    held = {"a": number, "b": 2}
    kernel, _ = build("def kernel(x): return V['a']", V=held)
    captures = Captures(kernel)
    held["a"] = other
    assert captures.hold()
    del held["b"]
    assert not captures.hold()
    held["b"] = 2
    assert captures.hold()
    held["a"] = 1
    assert not captures.hold()


def test_a_global_that_comes_to_shadow_a_builtin():
    kernel, namespace = build("def kernel(x): return max(x)")
    captures = Captures(kernel)
    assert captures.hold()
    namespace["max"] = min
    assert not captures.hold()


def test_a_closure_is_read_before_a_global_of_its_name():
    _, namespace = build(
        "C = 1\ndef make(C):\n    def kernel(x): return C\n    return kernel\nkernel = None\n"
    )
    five, six = namespace["make"](5), namespace["make"](6)
    captures = [Captures(five), Captures(six)]
    namespace["C"] = 2
    assert all(each.hold() for each in captures)
    five.__closure__[0].cell_contents = 7
    assert [each.hold() for each in captures] == [False, True]


def test_helpers_are_followed():
    kernel, namespace = build(
        "W = 1\ndef inner(x): return x + W\ndef helper(x): return inner(x)\n"
        "def kernel(x): return helper(x)\n"
    )
    captures = Captures(kernel)
    assert captures.hold()
    namespace["W"] = 2
    assert not captures.hold()


@pytest.mark.parametrize("hold", ["dict", "list", "partial", "module", "class", "instance"])
def test_helpers_behind_other_things(hold):
    _, helpers = build("S = 1\ndef f(x): return x * S\nkernel = None\n")
    f = helpers["f"]
    module = types.ModuleType("helpers_of_mine")
    module.f = f
    holder = type("Holder", (), {"f": staticmethod(f)})
    table, read = {
        "dict": ({"f": f}, "T['f'](x)"),
        "list": ([f], "T[0](x)"),
        "partial": (functools.partial(f), "T(x)"),
        "module": (module, "T.f(x)"),
        "class": (holder, "T.f(x)"),
        "instance": (holder(), "T.f(x)"),
    }[hold]
    kernel, _ = build(f"def kernel(x): return {read}", T=table)
    captures = Captures(kernel)
    assert captures.hold()
    helpers["S"] = 2
    assert not captures.hold()


def test_replacing_code_or_defaults_is_seen():
    kernel, _ = build("def kernel(x, n=3): return n")
    other, _ = build("def kernel(x, n=3): return n + 1")
    captures = Captures(kernel)
    kernel.__defaults__ = (4,)
    assert not captures.hold()
    kernel.__defaults__ = (3,)
    assert captures.hold()
    kernel.__code__ = other.__code__
    assert not captures.hold()


def test_what_cannot_be_seen_is_traced_again():
    class Sly:
        def __getattr__(self, name):
            return 1

    kernel, _ = build("def kernel(x): return T.value", T=Sly())
    assert not Captures(kernel).hold()


def test_an_attribute_of_an_object():
    settings = types.SimpleNamespace(scale=1, unused=[])
    kernel, _ = build("def kernel(x): return T.scale", T=settings)
    captures = Captures(kernel)
    assert captures.hold()
    settings.unused.append(1)
    assert captures.hold()
    settings.scale = 2
    assert not captures.hold()


def test_the_language_itself_is_one_guard():
    kernel, _ = build("def kernel(x): return ct.exp(x)")
    assert len(Captures(kernel)._names) == 1


def test_compile_time_values_are_keyed_with_their_types():
    specs = {ConstantSpec(value) for value in (True, 1, 1.0, 0.0, -0.0, (1,), (True,), "1")}
    assert len(specs) == 8
    assert ConstantSpec((1, 2.0)) == ConstantSpec((1, 2.0))
    with pytest.raises(TypeError):
        ConstantSpec([1])


def test_helpers_nested_deeper_than_python_calls():
    def deeper(inner):
        return lambda v: inner(v)

    innermost = nested = eval("lambda v: V", {"V": 1})
    for _ in range(3000):
        nested = deeper(nested)
    captures = Captures(nested)
    assert captures.hold()
    innermost.__globals__["V"] = 2
    assert not captures.hold()


@pytest.mark.parametrize("value", ["def", "class"])
def test_what_a_namespace_without_a_name_defines_may_change(value):
    namespace = {"ct": ct}
    exec("def helper(): return 1\nclass Held: value = 1", namespace)
    exec("def kernel(x): return helper() + Held.value", namespace)
    captures = Captures(namespace["kernel"])
    assert captures.hold()
    if value == "def":
        namespace["helper"].__code__ = (lambda: 2).__code__
    else:
        namespace["Held"].value = 2
    assert not captures.hold()
