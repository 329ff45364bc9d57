"""Classes under any names as numbers that count them."""

import numpy as np


class Coding:
    """The classes that occur in the arguments of one call, and where each is."""

    def __init__(self, columns, listed):
        self.columns = {name: column(name, values) for name, values in columns.items()}
        lengths = {len(values) for values in self.columns.values()}
        if len(lengths) > 1:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {sorted(lengths)}"
            )
        parts = list(self.columns.values())
        if listed is not None:
            parts.append(column("labels", listed))
        if len({part.dtype.kind in "OUS" for part in parts if len(part)}) > 1:
            raise ValueError("words and numbers are mixed; name classes by the one or the other")
        self.classes, self.tables = distinct(parts)

    def numbers(self, name):
        """The number of the class of each row."""
        return self.tables[list(self.columns).index(name)]

    def place(self, value):
        """The number of a class, or nothing where it does not occur."""
        found = np.flatnonzero(self.classes == value)
        return int(found[0]) if len(found) else None

    def positive(self, value):
        """The number of the positive class; one that does not occur comes after all others."""
        if value is None and not is_usual(self.classes):
            return None
        found = self.place(1 if value is None else value)
        return len(self.classes) if found is None else found

    def places(self, listed):
        """The numbers of classes, in their order."""
        return None if listed is None else [self.place(value) for value in listed]


def column(name, values):
    """Labels in a row."""
    values = np.asarray(values)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{name} has {values.ndim} dimensions; it must have one")
    if values.dtype.kind == "f":
        whole = np.floor(values)
        if not (np.isfinite(values).all() and np.array_equal(whole, values)):
            raise ValueError(f"{name} is continuous; classes are whole numbers or words")
    return values


def distinct(parts):
    """The sorted distinct values of all parts, and the parts as places among them."""
    kind = np.result_type(*parts)
    if kind.kind in "iub" and all(len(part) for part in parts):
        low, high = min(int(part.min()) for part in parts), max(int(part.max()) for part in parts)
        if high - low < 1024 + 2 * sum(map(len, parts)) and high <= np.iinfo(np.int64).max:
            return _by_counting(parts, kind, low, high)
    joined = np.concatenate(parts) if len(parts) > 1 else parts[0]
    if joined.dtype.kind == "O":
        joined = joined.astype(str) if all(isinstance(v, str) for v in joined) else joined
    classes, numbers = np.unique(joined, return_inverse=True)
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return classes, [np.ascontiguousarray(part, dtype=np.uintp) for part in np.split(numbers, ends)]


def _by_counting(parts, kind, low, high):
    """The same of whole numbers that lie close together, which need not be sorted."""

    def shifted(part):
        steps = part.astype(np.int64, copy=False)
        return steps - low if low else steps

    occurs = sum(np.bincount(shifted(part), minlength=high - low + 1) for part in parts) > 0
    classes = (np.flatnonzero(occurs) + low).astype(kind)
    if low == 0 and occurs.all():
        # They count the classes already.
        return classes, [np.ascontiguousarray(shifted(part)).view(np.uintp) for part in parts]
    places = (np.cumsum(occurs) - 1).astype(np.uintp)
    return classes, [places[shifted(part)] for part in parts]


def is_usual(classes):
    """Whether these are the classes of which 1 is the positive one."""
    usual = ([0, 1], [-1, 1], [0], [-1], [1])
    return classes.dtype.kind not in "OUS" and any(np.array_equal(classes, u) for u in usual)


def is_sets(values):
    """Whether these are sets of labels: a matrix of zeros and ones with several columns."""
    if hasattr(values, "toarray"):
        return True
    values = np.asarray(values)
    return values.ndim == 2 and values.shape[1] > 1


def sets(name, values):
    """Sets of labels as flags."""
    values = np.asarray(values.toarray() if hasattr(values, "toarray") else values)
    if values.ndim != 2:
        raise ValueError(f"{name} has {values.ndim} dimension(s); one column per label is needed")
    flags = values.astype(bool)
    if not np.array_equal(flags, values):
        raise ValueError(f"{name} must hold only 0 and 1 where it has several columns")
    return np.ascontiguousarray(flags)


def positive(name, values, pos_label):
    """Whether each row is of the positive class."""
    values = column(name, values)
    classes = np.unique(values)
    if len(classes) > 2:
        raise ValueError(f"{name} is multiclass; this figure is for two classes")
    if pos_label is None:
        if not is_usual(classes):
            raise ValueError(
                f"{name} takes values in {classes.tolist()} and pos_label is not specified: "
                "either make it take values in {0, 1} or {-1, 1}, or pass pos_label explicitly"
            )
        pos_label = 1
    elif len(classes) == 2 and pos_label not in classes:
        raise ValueError(
            f"pos_label={pos_label} is not a valid label: it should be one of {classes.tolist()}"
        )
    return np.ascontiguousarray(values == pos_label)
