"""Prints the names of characters that Python 3.11 knows, for build-names.mjs; its file says in which form."""

import ctypes
import unicodedata

assert unicodedata.unidata_version == '14.0.0', 'Python 3.11 has Unicode 14'


class Names(ctypes.Structure):
    """What `unicodedata` offers to the reader of `\\N{...}`; its aliases have private code points from F0000 on."""

    _fields_ = [
        ('getname', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_int, ctypes.c_int)),
        ('getcode',
         ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_uint32), ctypes.c_int)),
    ]


pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
names = Names.from_address(pointer_of(unicodedata._ucnhash_CAPI, b'unicodedata._ucnhash_CAPI'))

last = -1
for code in range(0x110000):
    name = unicodedata.name(chr(code), '')
    if name == '' or name.startswith(('CJK UNIFIED IDEOGRAPH-', 'HANGUL SYLLABLE ')):
        continue
    print(name if code == last + 1 else f'{code - last - 1:x};{name}')
    last = code
print()
text, found = ctypes.create_string_buffer(300), ctypes.c_uint32()
for code in range(0xF0000, 0xF0000 + 2000):
    if names.getname(code, text, len(text), 1) and names.getcode(text.value, len(text.value), ctypes.byref(found), 0):
        print(f'{found.value:x};{text.value.decode()}')
