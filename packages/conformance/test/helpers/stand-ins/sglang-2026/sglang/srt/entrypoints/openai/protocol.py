from types import SimpleNamespace


class Tool(SimpleNamespace):
    pass
