"""Functions that join, split, pad and rearrange arrays."""

import numpy as np

from _shared import at_axis, axes_of, axis_of, count_of, several

OF_ONE_AXIS = "split array_split stack"
OWN_WIDTH = "append"


# ---- moving ----


def flip(m, axis=None):
    """A view with the elements reversed along the axes, or along all axes if axis is None."""
    ndim = np.ndim(m)
    axes = axes_of(axis, ndim)
    if axis is not None and len(set(axes)) < len(axes):
        raise ValueError("repeated axis")
    return np.asarray(m)[tuple(slice(None, None, -1 if k in axes else None) for k in range(ndim))]


def flipud(m):
    """A view with the rows from the last to the first."""
    if np.ndim(m) < 1:
        raise ValueError("Input must be >= 1-d.")
    return np.asarray(m)[::-1]


def fliplr(m):
    """A view with the columns from the last to the first."""
    if np.ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return np.asarray(m)[:, ::-1]


def rot90(m, k=1, axes=(0, 1)):
    """A view rotated k times by 90 degrees, from the first of the axes to the second."""
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if any(not -np.ndim(m) <= axis < np.ndim(m) for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={np.ndim(m)}.")
    first, second = axes_of(tuple(axes), np.ndim(m))
    if first == second:
        raise ValueError("Axes must be different.")
    if k % 4 == 0:
        return np.asarray(m)[:]
    if k % 4 == 2:
        return flip(m, (first, second))
    if k % 4 == 1:
        return np.swapaxes(flip(m, second), first, second)
    return flip(np.swapaxes(m, first, second), second)


def _placed(order, places):
    """The axes in order, with each source at its destination: (destination, source), sorted."""
    if len(places) == 0:
        return order
    at, axis = places[0]
    return _placed(order[:at] + [axis] + order[at:], places[1:])


def moveaxis(a, source, destination):
    """A view with axes moved to other positions; the others stay in order."""
    ndim = np.ndim(a)
    sources, places = axes_of(source, ndim), axes_of(destination, ndim)
    if len(sources) != len(places):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    if len(set(sources)) < len(sources) or len(set(places)) < len(places):
        raise ValueError("repeated axis")
    others = [k for k in range(ndim) if k not in sources]
    return np.transpose(a, _placed(others, sorted(zip(places, sources))))


def rollaxis(a, axis, start=0):
    """A view with the axis moved to the position before start."""
    ndim = np.ndim(a)
    axis = axis_of(axis, ndim)
    at = start + ndim if start < 0 else start
    if not 0 <= at <= ndim:
        raise ValueError(f"'start' arg requires {-ndim} <= start < {ndim + 1}, but {start} was passed in")
    return np.moveaxis(a, axis, at - 1 if axis < at else at)


# ---- joining ----


def _one_or_all(made):
    return made[0] if len(made) == 1 else several(made)


def _at_least_1d(x):
    return np.asarray(x) if np.ndim(x) > 0 else np.reshape(x, (1,))


def _at_least_2d(x):
    return np.asarray(x) if np.ndim(x) > 1 else _at_least_1d(x)[None, :]


def _at_least_3d(x):
    if np.ndim(x) > 1:
        return np.asarray(x) if np.ndim(x) > 2 else np.asarray(x)[:, :, None]
    return np.asarray(x)[None, :, None] if np.ndim(x) == 1 else np.reshape(x, (1, 1, 1))


def atleast_1d(*arys):
    """Each array with at least one dimension."""
    return _one_or_all([_at_least_1d(x) for x in arys])


def atleast_2d(*arys):
    """Each array with at least two dimensions; vectors become rows."""
    return _one_or_all([_at_least_2d(x) for x in arys])


def atleast_3d(*arys):
    """Each array with at least three dimensions; the axes of a matrix become the first two."""
    return _one_or_all([_at_least_3d(x) for x in arys])


def stack(arrays, axis=0, out=None):
    """Joins arrays of one shape along a new axis."""
    if len(arrays) == 0:
        raise ValueError("need at least one array to stack")
    axis = axis_of(axis, np.ndim(arrays[0]) + 1)
    made = [np.asarray(x)[at_axis(axis, None)] if np.ndim(x) > 0 else np.reshape(x, (1,)) for x in arrays]
    return np.concatenate(made, axis=axis, out=out)


def vstack(tup):
    """Joins arrays along the first axis; vectors become rows."""
    return np.concatenate([_at_least_2d(x) for x in tup])


row_stack = vstack


def hstack(tup):
    """Joins arrays: vectors along their axis, others along the second."""
    made = [_at_least_1d(x) for x in tup]
    return np.concatenate(made, axis=min(np.ndim(made[0]) - 1, 1))


def column_stack(tup):
    """Joins arrays along the second axis; vectors become columns."""
    return np.concatenate([np.asarray(x) if np.ndim(x) > 1 else _at_least_1d(x)[:, None] for x in tup], axis=1)


def dstack(tup):
    """Joins arrays along the third axis."""
    return np.concatenate([_at_least_3d(x) for x in tup], axis=2)


def append(arr, values, axis=None):
    """Joins both arrays along the axis, or flattened if axis is None."""
    if axis is None:
        return np.concatenate([np.ravel(arr), np.ravel(values)])
    return np.concatenate([arr, values], axis=axis)


def _depth(arrays):
    """How deep the lists are nested."""
    if not isinstance(arrays, list):
        return 0
    if len(arrays) == 0:
        raise ValueError("List at arrays cannot be empty")
    depths = [_depth(x) for x in arrays]
    if min(depths) < max(depths):
        raise ValueError(f"List depths are mismatched: {min(depths)} and {max(depths)}")
    return 1 + depths[0]


def _most_axes(arrays):
    return max(_most_axes(x) for x in arrays) if isinstance(arrays, list) else np.ndim(arrays)


def _block(arrays, depth, ndim):
    """The arrays of lists, the innermost lists along the last axis, each with ndim axes."""
    if depth == 0:
        return np.reshape(arrays, (1,) * (ndim - np.ndim(arrays)) + np.shape(arrays))
    return np.concatenate([_block(x, depth - 1, ndim) for x in arrays], axis=-depth)


def block(arrays):
    """One array from nested lists of blocks, the innermost lists along the last axis."""
    depth = _depth(arrays)
    made = _block(arrays, depth, max(depth, _most_axes(arrays)))
    return made if depth > 0 else np.copy(made)


# ---- splitting ----


def _cut(ary, bounds, axis):
    return [ary[at_axis(axis, slice(bounds[i], bounds[i + 1]))] for i in range(len(bounds) - 1)]


def array_split(ary, indices_or_sections, axis=0):
    """Views of the parts between the indices, or of that many parts, the first ones longer by one."""
    ary = np.asarray(ary)
    axis = axis_of(axis, ary.ndim)
    extent = ary.shape[axis]
    if np.ndim(indices_or_sections) > 0:
        return _cut(ary, [0, *indices_or_sections, None], axis)
    sections = int(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    return _cut(ary, [i * (extent // sections) + min(i, extent % sections) for i in range(sections + 1)], axis)


def split(ary, indices_or_sections, axis=0):
    """Views of the parts between the indices, or of that many parts of equal length."""
    if np.ndim(indices_or_sections) == 0 and np.shape(ary)[axis] % int(indices_or_sections) != 0:
        raise ValueError("array split does not result in an equal division: "
                         f"{np.shape(ary)[axis]} into {indices_or_sections} parts")
    return array_split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """np.split along the first axis."""
    if np.ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """np.split along the second axis, or along the first for vectors."""
    if np.ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, min(np.ndim(ary) - 1, 1))


def dsplit(ary, indices_or_sections):
    """np.split along the third axis."""
    if np.ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


# ---- repeating and inserting ----


def _rows(values, like, axis, count, one):
    """What is inserted: as many rows as there are places, or before one place as many as there are values."""
    if np.ndim(values) == 0:
        return np.full(like.shape[:axis] + (count,) + like.shape[axis + 1:], values, dtype=like.dtype)
    values = np.asarray(values, dtype=like.dtype)
    shape = (1,) * (like.ndim - values.ndim) + values.shape
    if not one:
        values = np.reshape(values, shape)
    elif shape[0] == 1:  # for one place the values' first axis is the one where they are inserted
        values = np.reshape(values, shape[1:axis + 1] + shape[:1] + shape[axis + 1:])
    else:
        values = np.moveaxis(np.reshape(values, shape), 0, axis)
    count = values.shape[axis] if count == 1 else count
    return np.broadcast_to(values, like.shape[:axis] + (count,) + like.shape[axis + 1:])


def insert(arr, obj, values, axis=None):
    """The array with values inserted before an index of the axis, or before each of several."""
    arr = np.ravel(arr) if axis is None else np.asarray(arr)
    axis = axis_of(0 if axis is None else axis, arr.ndim)
    extent = arr.shape[axis]
    if isinstance(obj, slice):
        obj = list(range(extent))[obj]
    if np.asarray(obj).dtype.kind == "b":
        raise NotImplementedError("booleans are indices in NumPy 1 and a mask in NumPy 2; np.flatnonzero(mask) makes indices")
    one = np.ndim(obj) == 0
    places = [obj] if one else obj
    for place in places:
        if not -extent <= place <= extent:
            raise IndexError(f"index {place} is out of bounds for axis {axis} with size {extent}")
    at = [place + extent if place < 0 else place for place in places]
    rows = _rows(values, arr, axis, len(at), one)
    if len(at) == 1:
        parts = [rows, arr[at_axis(axis, slice(at[0], None))]]
    else:
        order = sorted(zip(at, range(len(at))))
        ends = [place for place, _ in order[1:]] + [None]
        parts = [part for (place, i), end in zip(order, ends)
                 for part in (rows[at_axis(axis, slice(i, i + 1))], arr[at_axis(axis, slice(place, end))])]
    return np.concatenate([arr[at_axis(axis, slice(0, min(at) if len(at) > 0 else None))], *parts], axis=axis)


# ---- padding ----


def _pairs(given, ndim):
    """Before and after, for each axis: of a number, a pair, or a pair for each axis."""
    if np.ndim(given) == 0:
        return [(given, given)] * ndim
    pairs = [given] if np.ndim(given) == 1 else given
    pairs = [(pair[0], pair[-1]) for pair in pairs if len(pair) in (1, 2)] * (ndim if len(pairs) == 1 else 1)
    if len(pairs) != ndim:
        raise ValueError(f"takes a number, a pair, or a pair for each of {ndim} axes; got {given}")
    return pairs


def _reflected(x, axis, low, high, turned):
    """Elements low to high of an axis, counted from its last one where it is turned."""
    last = x.shape[axis] - 1
    if not turned:
        return x[at_axis(axis, slice(low, high))]
    if high - low == 1:
        return x[at_axis(axis, slice(last - low, last - low + 1))]
    return x[at_axis(axis, slice(last - low, last - high if high <= last else None, -1))]


def _reflections(x, axis, start, stop, mode):
    """Elements start to stop of an axis that goes on with the array again and again, or with its reflections."""
    extent = x.shape[axis]
    period = extent - 1 if mode == "reflect" else extent
    if period == 0:
        return [np.repeat(x, stop - start, axis=axis)]
    return [_reflected(x, axis, max(start - k * period, 0), min(stop - k * period, period),
                       mode != "wrap" and k % 2 == 1) for k in range(start // period, -(-stop // period))]


_STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}


def _padding(x, axis, width, after, mode, length):
    """What is before or after the array along an axis, as a list of parts."""
    extent = x.shape[axis]
    if width == 0:
        return []
    if mode in ("wrap", "reflect", "symmetric"):
        return _reflections(x, axis, extent if after else -width, extent + width if after else 0, mode)
    count = 1 if mode == "edge" else extent if length is None else min(length, extent)
    part = x[at_axis(axis, slice(extent - count, None) if after else slice(0, count))]
    if mode != "edge":
        part = _STATISTICS[mode](part, axis=axis, keepdims=True)
        part = np.asarray(np.round(part) if x.dtype.kind in "iu" else part, x.dtype)
    return [np.repeat(part, width, axis=axis)]


def _pad_axes(x, axis, widths, mode, lengths):
    if axis == len(widths):
        return x
    before, after = widths[axis]
    if before + after > 0 and x.shape[axis] == 0:
        raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if before + after > 0:
        x = np.concatenate([*_padding(x, axis, before, False, mode, lengths[axis][0]), x,
                            *_padding(x, axis, after, True, mode, lengths[axis][1])], axis=axis)
    return _pad_axes(x, axis + 1, widths, mode, lengths)


def _pad_constants(x, axis, widths, values):
    if axis == len(widths):
        return x
    parts = [np.full(x.shape[:axis] + (width,) + x.shape[axis + 1:], value, dtype=x.dtype)
             for width, value in zip(widths[axis], values[axis])]
    return _pad_constants(np.concatenate([parts[0], x, parts[1]], axis=axis), axis + 1, widths, values)


def pad(array, pad_width, mode="constant", stat_length=None, constant_values=None):
    """The array padded at both ends of its axes, according to the mode."""
    if constant_values is not None and mode != "constant":
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': constant_values")
    if stat_length is not None and mode not in ("maximum", "minimum", "mean", "median"):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': stat_length")
    constant_values = 0 if constant_values is None else constant_values
    array = np.asarray(array)
    widths = _pairs(pad_width, array.ndim)
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError("index can't contain negative values")
    if mode in ("edge", "wrap", "reflect", "symmetric", "maximum", "minimum", "mean", "median"):
        lengths = [(None, None)] * array.ndim if stat_length is None else _pairs(stat_length, array.ndim)
        return _pad_axes(array, 0, widths, mode, lengths)
    if mode != "constant":
        raise NotImplementedError("the modes are constant, edge, wrap, reflect, symmetric, maximum, minimum, mean and median; "
                         f"got {mode}")
    if np.ndim(constant_values) > 0:
        return _pad_constants(array, 0, widths, _pairs(constant_values, array.ndim))
    made = np.full([extent + before + after for extent, (before, after) in zip(array.shape, widths)],
                   constant_values, dtype=array.dtype)
    made[tuple(slice(before, before + extent) for extent, (before, _) in zip(array.shape, widths))] = array
    return made


# ---- broadcasting, applying and trimming ----


def broadcast_shapes(*args):
    """The shape that arrays of these shapes broadcast to."""
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in args]
    ndim = max([0] + [len(shape) for shape in shapes])
    made = [1] * ndim
    for extents in [(1,) * (ndim - len(shape)) + shape for shape in shapes]:
        for i, extent in enumerate(extents):
            if 1 not in (extent, made[i]) and extent != made[i]:
                raise ValueError(f"shape mismatch: objects cannot be broadcast to a single shape: {args}")
            made[i] = made[i] if extent == 1 else extent
    return tuple(made)


def broadcast_arrays(*args):
    """Views of the arrays, broadcast to one shape."""
    shape = np.broadcast_shapes(*[np.shape(x) for x in args])
    return several([np.broadcast_to(x, shape) for x in args])


def apply_over_axes(func, a, axes):
    """func(a, axis) applied to one axis after the other; the reduced axes are kept."""
    made = np.asarray(a)
    for axis in [axes] if np.ndim(axes) == 0 else axes:
        made = _with_axis(func(made, axis), made, axis)
    return made


def _with_axis(result, before, axis):
    if np.ndim(result) == before.ndim:
        return result
    result = np.expand_dims(result, axis)
    if result.ndim != before.ndim:
        raise ValueError("function is not returning an array of the correct shape")
    return result


def trim_zeros(filt, trim="fb"):
    """A static vector without its leading and trailing zeros."""
    if np.ndim(filt) != 1:
        raise ValueError("takes a vector")
    kept = [int(k) for k in np.flatnonzero(filt)]
    if len(kept) == 0:
        return filt[:0]
    return filt[kept[0] if "f" in trim.lower() else 0:kept[-1] + 1 if "b" in trim.lower() else len(filt)]


def resize(a, new_shape):
    """An array of the new shape, with the elements repeated as often as needed."""
    flat, shape = np.ravel(a), (new_shape,) if np.ndim(new_shape) == 0 else tuple(new_shape)
    count = count_of(shape)
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    if flat.size == 0 or count == 0:
        return np.zeros(shape, flat.dtype)
    return np.reshape(np.tile(flat, -(-count // flat.size))[:count], shape)


def fromiter(iter, dtype, count=-1):
    """An array of the first `count` items of an iterable; of all items if `count` is -1."""
    items = list(iter)
    if items and np.ndim(items[0]) > 0:
        raise ValueError("setting an array element with a sequence.")
    if count >= 0:
        if len(items) < count:
            raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
        items = items[:count]
    return np.array(items, dtype=dtype)


def require(a, dtype=None, requirements=None):
    """The array, converted to the type."""
    if requirements is not None and requirements not in ("C", "C_CONTIGUOUS", "CONTIGUOUS", []):
        raise NotImplementedError("requirements= other than 'C' are not supported")
    return np.asarray(a, dtype)
