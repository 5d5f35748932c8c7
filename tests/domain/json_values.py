"""JSON as callers send it, for properties."""

from hypothesis import strategies as st

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
"""Texts that may be stored."""

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
"""JSON values without parts that may be stored."""


def objects(keys: st.SearchStrategy[str] = texts, *, leaves: st.SearchStrategy = leaves) -> st.SearchStrategy:
    """JSON objects, nested a little."""
    values = st.recursive(
        leaves,
        lambda parts: st.lists(parts, max_size=4) | st.dictionaries(keys, parts, max_size=4),
        max_leaves=12,
    )
    return st.dictionaries(keys, values, max_size=5)
