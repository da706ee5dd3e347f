"""Student's t on whole arrays: scipy's, imported when the first value is asked for. NaN in, NaN out."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]


def t_cdf(df: ArrayLike, t: ArrayLike) -> Array:
    """P(T ≤ t) with `df` degrees of freedom."""
    from scipy.special import stdtr  # slow to import

    return np.asarray(stdtr(df, t), dtype=float)


def t_quantile_at(df: ArrayLike, p: float) -> Array:
    """The t with P(T ≤ t) = p."""
    from scipy.special import stdtrit  # slow to import

    return np.asarray(stdtrit(df, p), dtype=float)
