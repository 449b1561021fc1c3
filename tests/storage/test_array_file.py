"""Files of arrays."""

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf.storage.array_file import ArrayFile, DamagedFileError, write_arrays

ARRAYS = {"whole": np.arange(7), "none": np.zeros((0, 3)), "square": np.eye(4, dtype=np.float32)}


def test_arrays_come_back_from_a_file_as_they_were(tmp_path):
    write_arrays(tmp_path / "arrays", ARRAYS)
    file = ArrayFile(tmp_path / "arrays")
    for name, array in ARRAYS.items():
        found = file.map(name)
        np.testing.assert_array_equal(found, array)
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
    file.map("whole")[0] = 99
    assert file.map("whole")[0] == 0, "what is written to a mapped array must not go to the file"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arrays"]


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_file_with_any_bit_turned_is_refused(tmp_path_factory, place, bit):
    path = tmp_path_factory.mktemp("bits") / "arrays"
    write_arrays(path, ARRAYS)
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1 << bit
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match="Remove the folder"):
        ArrayFile(path).map("whole")


@pytest.mark.parametrize("length", [0, 10, 100, 200])
def test_a_file_that_is_cut_short_is_refused(tmp_path, length):
    path = tmp_path / "arrays"
    write_arrays(path, ARRAYS)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedFileError, match="damaged"):
        ArrayFile(path).map("whole")


def test_a_header_that_points_outside_of_its_file_is_refused(tmp_path):
    path = tmp_path / "arrays"
    write_arrays(path, {"a": np.arange(8)})
    content = path.read_bytes()
    start = content.index(b"{")
    header = json.loads(content[start : content.rindex(b"}") + 1])
    header["arrays"]["a"]["shape"] = [10**9]
    longer = json.dumps(header).encode()
    numbers = b"".join(n.to_bytes(8, "little") for n in (len(longer), zlib.crc32(longer)))
    path.write_bytes(content[: start - 16] + numbers + longer + bytes(64))
    with pytest.raises(DamagedFileError):
        ArrayFile(path).map("a")
