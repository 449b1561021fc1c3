"""Reading in a process of its own: its standard input, and the modules that it loads."""

import subprocess
import sys

from files_to_read import put


def test_the_standard_input_of_the_process_is_read():
    code = "from tonmf.io import read_documents; assert read_documents(['-']).content == ['one', 'two']"
    subprocess.run([sys.executable, "-c", code], input=b"one\ntwo\n", check=True)


def test_reading_plain_files_loads_neither_scipy_nor_pyarrow(tmp_path):
    """An error of usage should be told at once, not after seconds of imports."""
    path = put(tmp_path, "a.txt", "one two\nthree\n")
    code = (
        "import sys; from tonmf.io import DocumentFiles, ReadOptions, read_documents; "
        f"options = ReadOptions(min_words=1); read_documents([{path!r}], options); list(DocumentFiles([{path!r}], options)); "
        "print(*{name.split('.')[0] for name in sys.modules} & {'scipy', 'sklearn', 'numba', 'pyarrow'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
