"""x"""


def path(source, *, ax=None):
    raise NotImplementedError
