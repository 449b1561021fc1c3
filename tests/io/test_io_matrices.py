"""Matrices of counts: .npz, Matrix Market, their vocabularies and ids."""

import gzip
import io
import pickle

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from files_to_read import put, read, refusal

from tonmf.text.documents import COUNTS

COUNTS_OF_TWO = np.array([[1, 0, 2], [0, 3, 0]])


def npz(folder, name="a.npz", matrix=COUNTS_OF_TWO, layout="csr"):
    folder.mkdir(parents=True, exist_ok=True)
    sp.save_npz(folder / name, sp.coo_matrix(matrix).asformat(layout))
    return str(folder / name)


def mtx(folder, name="a.mtx", matrix=COUNTS_OF_TWO):
    buffer = io.BytesIO()
    scipy.io.mmwrite(buffer, matrix)
    return put(folder, name, buffer.getvalue())


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_matrices_of_scipy(tmp_path, layout):
    documents = read(npz(tmp_path, layout=layout))
    assert documents.kind == COUNTS
    assert documents.content.format == "csr"
    assert (documents.content.toarray() == COUNTS_OF_TWO).all()
    assert documents.ids == ["a.npz:1", "a.npz:2"]
    assert documents.terms is None
    assert documents.notes == []


def test_sparse_arrays_of_scipy_become_a_matrix(tmp_path):
    sp.save_npz(tmp_path / "a.npz", sp.csr_array(COUNTS_OF_TWO))
    assert isinstance(read(str(tmp_path / "a.npz")).content, sp.csr_matrix)


@pytest.mark.parametrize("matrix", [sp.coo_matrix(COUNTS_OF_TWO), COUNTS_OF_TWO], ids=["sparse", "dense"])
def test_matrix_market(tmp_path, matrix):
    documents = read(mtx(tmp_path, matrix=matrix))
    assert (documents.content.toarray() == COUNTS_OF_TWO).all()
    assert documents.ids == ["a.mtx:1", "a.mtx:2"]


def test_matrices_may_be_compressed_or_on_standard_input(tmp_path):
    for path in (mtx(tmp_path), npz(tmp_path)):
        with open(path, "rb") as file:
            data = file.read()
        assert read(put(tmp_path, path.rpartition("/")[2] + ".gz", gzip.compress(data))).content.nnz == 3
        assert read("-", stdin=io.BytesIO(data), format="matrix").ids == ["stdin:1", "stdin:2"]


@pytest.mark.parametrize("suffix", [".terms", ".vocab", ".vocabulary", ".terms.txt", ".vocab.txt", ".vocabulary.txt"])
def test_a_vocabulary_beside_the_matrix_names_its_columns(tmp_path, suffix):
    put(tmp_path, "a" + suffix, "ape\nbat\r\ncat\n\n")
    documents = read(npz(tmp_path))
    assert documents.terms == ["ape", "bat", "cat"]
    assert documents.notes == [f"The terms of a.npz were taken from a{suffix}."]


def test_a_vocabulary_that_is_given_goes_first(tmp_path):
    put(tmp_path, "a.terms", "ape\nbat\ncat\n")
    assert read(npz(tmp_path), vocabulary=put(tmp_path, "other.txt", "x\ny\nz")).terms == ["x", "y", "z"]


def test_terms_in_rows_are_transposed(tmp_path):
    put(tmp_path, "a.terms", "ape\nbat\n")
    documents = read(npz(tmp_path))
    assert (documents.content.toarray() == COUNTS_OF_TWO.T).all()
    assert documents.content.format == "csr"
    assert documents.ids == ["a.npz:1", "a.npz:2", "a.npz:3"]
    assert documents.notes == [
        "The terms of a.npz were taken from a.terms; they are its rows, so it was transposed to documents × terms."
    ]


def test_a_vocabulary_that_does_not_fit_is_refused_with_all_sizes(tmp_path):
    put(tmp_path, "a.terms", "1\n2\n3\n4\n")
    assert refusal(npz(tmp_path)).startswith("a.terms has 4 terms, but a.npz has 2 rows and 3 columns.")


def test_a_vocabulary_that_is_missing_or_empty_is_refused(tmp_path):
    assert "cannot be read: No such file" in refusal(npz(tmp_path), vocabulary=str(tmp_path / "nothing.txt"))
    assert "terms.txt: expected a term a line for the columns of a.npz, but it is empty" in refusal(
        npz(tmp_path), vocabulary=put(tmp_path, "terms.txt", "")
    )


def test_ids_beside_the_matrix_are_first_words_of_lines(tmp_path):
    put(tmp_path, "a.docs", "sport.001 0\n\n")
    documents = read(npz(tmp_path))
    assert documents.ids == ["a.npz:1", "a.npz:2"]
    assert documents.notes == ["a.docs has 1 line for 2 documents of a.npz and was not used."]
    put(tmp_path, "a.docs", "sport.001 0\nsport.002 0\n")
    assert read(npz(tmp_path)).ids == ["sport.001", "sport.002"]


def test_several_matrices_are_stacked(tmp_path):
    documents = read(npz(tmp_path, "a.npz"), mtx(tmp_path, "b.mtx"))
    assert (documents.content.toarray() == np.vstack([COUNTS_OF_TWO] * 2)).all()
    assert documents.content.format == "csr"
    assert documents.ids == ["a.npz:1", "a.npz:2", "b.mtx:1", "b.mtx:2"]


def test_matrices_of_different_columns_are_refused(tmp_path):
    message = refusal(npz(tmp_path, "a.npz"), npz(tmp_path, "b.npz", COUNTS_OF_TWO[:, :2]))
    assert message.startswith("Matrices must have the same columns: a.npz has 3, b.npz 2.")


def test_matrices_of_different_terms_are_refused(tmp_path):
    put(tmp_path, "b.terms", "ape\nbat\ncat\n")
    put(tmp_path, "c.terms", "ape\ncat\nbat\n")
    one, two, three = (npz(tmp_path, f"{name}.npz") for name in "abc")
    assert read(one, two).terms == ["ape", "bat", "cat"]
    assert "the terms of b.npz and c.npz differ" in refusal(one, two, three)


HEAD = "%%MatrixMarket matrix coordinate integer general\n"
DENSE = "%%MatrixMarket matrix array real general\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (DENSE + "1000000 1000000\n1\n", "declares a matrix of 1,000,000 × 1,000,000, which its "),
        (HEAD + "% note\n10 10 1000\n1 1 1\n", "declares a matrix of 10 × 10 with 1,000 entries, which its "),
        (
            HEAD + "100000000000 5 1\n1 1 1\n",
            "declares 100,000,000,000 documents × 5 terms, but has only 1 stored value.",
        ),
        (HEAD + "16777216 16777216 1\n1 1 1\n", "declares 16,777,216 documents × 16,777,216 terms, but has only 1 "),
        (HEAD + "10001 5 1\n1 1 1\n", "declares 10,001 documents × 5 terms, but has only 1 stored value."),
        (HEAD + "2 1048577 1\n1 1 1\n", "declares 2 documents × 1,048,577 terms, but has only 1 stored value."),
        (HEAD + "2 2 2\n1 1 1\n%%%%%%\n", "expected a Matrix Market file, but it cannot be read as such"),
        (HEAD + "2 2 1\n3 1 1\n", "expected a Matrix Market file, but it cannot be read as such"),
        (HEAD + "2 2 1\n1 1 many\n", "expected a Matrix Market file, but it cannot be read as such"),
        (HEAD, "expected its rows, columns and entries after the comments"),
        (HEAD + "2 -2 1\n1 1 1\n", "expected its rows, columns and entries after the comments"),
        (HEAD + "two 2 1\n1 1 1\n", "expected its rows, columns and entries after the comments"),
        ("1 2 3\n4 5 6\n", "expected a sparse matrix as scipy.sparse.save_npz or scipy.io.mmwrite write it"),
    ],
)
def test_matrix_market_files_that_are_damaged_are_refused(tmp_path, content, reason):
    assert reason in refusal(put(tmp_path, "a.mtx", content))


def test_damaged_npz_files_are_refused(tmp_path):
    with open(npz(tmp_path), "rb") as file:
        data = file.read()
    assert "expected what scipy.sparse.save_npz writes" in refusal(put(tmp_path, "b.npz", data[: len(data) // 2]))
    np.savez(tmp_path / "c.npz", counts=COUNTS_OF_TWO)
    assert "expected what scipy.sparse.save_npz writes" in refusal(str(tmp_path / "c.npz"))


def test_npz_files_with_columns_out_of_range_are_refused(tmp_path):
    matrix = sp.csr_matrix(COUNTS_OF_TWO)
    np.savez(
        tmp_path / "a.npz",
        indices=np.array([0, 99, 1]),
        indptr=matrix.indptr,
        data=matrix.data,
        shape=matrix.shape,
        format=b"csr",
    )
    assert "expected what scipy.sparse.save_npz writes" in refusal(str(tmp_path / "a.npz"))


class Trap:
    def __reduce__(self):
        return print, ("code has run",)


def test_npz_files_cannot_run_code(tmp_path, capsys):
    trap = np.array([Trap()], dtype=object)
    np.savez(tmp_path / "a.npz", indices=trap, indptr=trap, data=trap, shape=trap, format=b"csr")
    assert "expected what scipy.sparse.save_npz writes" in refusal(str(tmp_path / "a.npz"))
    assert "expected a sparse matrix" in refusal(put(tmp_path, "b.npz", pickle.dumps(Trap())))
    assert capsys.readouterr().out == ""


def test_a_hashed_vocabulary_with_many_empty_columns_is_read(tmp_path):
    matrix = sp.csr_matrix(([1.0, 2.0], ([0, 1], [7, 2**20 - 1])), shape=(2, 2**20))
    sp.save_npz(tmp_path / "a.npz", matrix)
    assert read(str(tmp_path / "a.npz")).content.shape == (2, 2**20)


def test_a_matrix_may_be_as_empty_as_a_file_of_short_documents(tmp_path):
    matrix = sp.csr_matrix((np.ones(200), (np.arange(200) * 100, np.arange(200) * 5_000)), shape=(20_000, 2**21))
    sp.save_npz(tmp_path / "a.npz", matrix)
    assert "declares 20,000 documents × 2,097,152 terms" in refusal(str(tmp_path / "a.npz"))
    sp.save_npz(tmp_path / "a.npz", matrix[:, : 2**20])
    assert read(str(tmp_path / "a.npz"), min_words=0).content.shape == (20_000, 2**20)


def test_complex_values_are_refused(tmp_path):
    path = put(tmp_path, "a.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1.0 2.0\n")
    assert "expected counts, but its values are of type complex128" in refusal(path, min_words=1)
