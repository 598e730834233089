"""An exporter of DLPack, written after the header and independent of the reader.

Each export lends memory of its own, which the deleter fills with garbage: a kernel that ran after
the deleter would show it.
"""

import ctypes

import numpy as np


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


Deleter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api)
)
# A dying capsule must not be touched as an object, so its destructor passes a plain pointer.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_OLD, _NEW = b"dltensor", b"dltensor_versioned"


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroy(capsule):
    for name, kind in ((_OLD, Managed), (_NEW, ManagedVersioned)):
        # A consumer that took the memory has renamed the capsule.
        if _is_valid(capsule, name):
            address = _pointer(capsule, name)
            kind.from_address(address).deleter(address)


# What is lent, with its exporter: reachable from here, so that no collection takes it apart.
_LENT = {}


class Exporter:
    """Lends `array`, in memory of each export or in place (`shared`), and counts both ends."""

    def __init__(self, array, *, version=(1, 0), shared=False, **fields):
        self.array = array
        self.version = version
        self.shared = shared
        self.fields = fields
        self.exports = 0
        self.deletions = 0
        self.asked = []
        self.on_export = lambda: None

    def __dlpack_device__(self):
        return self.fields.get("device_type", 1), self.fields.get("device_id", 0)

    def __dlpack__(self, **options):
        if self.version < (1, 0) and options:
            raise TypeError("unexpected keyword argument")
        self.asked.append(options)
        self.on_export()
        self.exports += 1
        array = self.array if self.shared else self.array.copy(order="K")
        managed = self._describe(array)
        address = ctypes.addressof(managed)
        _LENT[address] = (managed, array, self)
        return _new(address, _OLD if isinstance(managed, Managed) else _NEW, _destroy)

    def _describe(self, array):
        shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        strides = (ctypes.c_int64 * max(array.ndim, 1))(
            *(step // max(array.itemsize, 1) for step in array.strides)
        )
        if self.version < (1, 0):
            managed = Managed()
        else:
            managed = ManagedVersioned()
            managed.major, managed.minor = self.version
            managed.flags = self.fields.get("flags", 0)
        managed.deleter = Deleter(self._delete)
        managed.keep = (shape, strides, managed.deleter)
        tensor = managed.tensor
        offset = self.fields.get("byte_offset", 0)
        tensor.data = self.fields.get("data", array.ctypes.data - offset)
        tensor.byte_offset = offset
        tensor.device_type, tensor.device_id = self.__dlpack_device__()
        tensor.ndim = self.fields.get("ndim", array.ndim)
        tensor.code = self.fields.get("code", {"i": 0, "u": 1, "f": 2, "b": 6}[array.dtype.kind])
        tensor.bits = self.fields.get("bits", 8 * array.itemsize)
        tensor.lanes = self.fields.get("lanes", 1)
        tensor.shape = None if self.fields.get("no_shape") else ctypes.addressof(shape)
        shape[: array.ndim] = self.fields.get("extents", array.shape)
        tensor.strides = None if self.fields.get("no_strides") else ctypes.addressof(strides)
        return managed

    def _delete(self, address):
        _, array, _ = _LENT.pop(address)
        self.deletions += 1
        if not self.shared:
            array.view(np.uint8)[...] = 0xFF
