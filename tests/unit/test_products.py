"""Examples kept as bytes give the products that floats give."""

import numpy as np
import pytest

from guard.models.products import Products


def _examples(count: int, depth: int) -> np.ndarray:
    numbers = np.random.default_rng(1).integers(-127, 128, size=(count, depth))
    return numbers.astype(np.float32)


@pytest.mark.parametrize("rows", [1, 3, 40])
def test_products_are_as_exact_as_single_precision(rows: int) -> None:
    """One row or more than fit at once, large numbers beside small ones."""
    examples = _examples(50, 31)
    given = np.random.default_rng(2).normal(size=(rows, 31)).astype(np.float32)
    given *= np.float32(10.0) ** np.arange(-15, 16, dtype=np.float32)[::-1].clip(-3, 3)
    exact = given.astype(np.float64) @ examples.T.astype(np.float64)
    made = Products(examples).with_rows(given)
    assert made.shape == (rows, 50)
    largest = np.abs(given).max(axis=1, keepdims=True) * 127.0 * 31
    assert np.abs(made - exact).max() <= float((largest * 2.0**-23).max())


def test_a_row_of_nothing_has_no_product() -> None:
    """Zero has no largest number to be measured by."""
    assert not Products(_examples(5, 4)).with_rows(np.zeros((2, 4), np.float32)).any()


def test_extremes_do_not_overflow() -> None:
    """All numbers as large as can be, of either sign."""
    examples = np.full((2, 4096), 127.0, np.float32)
    examples[1] = -127.0
    made = Products(examples).with_rows(np.full((1, 4096), -3.0, np.float32))
    assert made == pytest.approx(np.array([[-3.0 * 127 * 4096, 3.0 * 127 * 4096]]))


@pytest.mark.parametrize("wrong", [0.5, 128.0, -200.0])
def test_what_is_no_byte_is_refused(wrong: float) -> None:
    """Nothing is rounded in silence."""
    examples = _examples(3, 3)
    examples[1, 1] = wrong
    with pytest.raises(ValueError, match="one byte"):
        Products(examples)
