"""Puts empty modules in the place of torch, transformers and triton where they are not installed. Import it before xgrammar."""

import importlib.machinery
import sys
import types


def stub(name):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__path__ = []

    def member(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return type(attribute, (), {"__init__": lambda self, *_, **__: None})

    module.__getattr__ = member
    sys.modules[name] = module
    return module


try:
    import torch  # noqa: F401
except ImportError:
    for name in ["torch.nn", "torch.utils", "torch.utils.cpp_extension", "transformers", "triton"]:
        stub(name)
    torch = stub("torch")
    torch.int32 = "int32"
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
