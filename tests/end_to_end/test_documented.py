"""What pages show is run, and nothing of them can be left out without a reason that is true."""

import textwrap

import pytest
from documented import Page, PageError, as_shown


def page(folder, text):
    path = folder / "page.md"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return Page(path)


def ran(folder, text):
    """Return whether a page shows what is printed, and what it should show."""
    read = page(folder, text)
    after = read.run()
    return after == read.path.read_text(encoding="utf-8"), after


def test_blocks_of_python_share_their_names_and_the_folder(tmp_path):
    text = """\
    <!-- set up: python
    from pathlib import Path
    -->
    ```python
    Path("note.txt").write_text("a red house")
    print(len("red"))
    ```

    ```text
    3
    ```

    1. In a list, too:

       ```python
       >>> Path("note.txt").read_text()
       'a red house'

       ```
    """
    assert ran(tmp_path, text)[0]


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("```python\n>>> 6 * 7\n41\n\n```\n", "```python\n>>> 6 * 7\n42\n\n```\n"),
        ("```python\nprint(42)\n```\n\n```text\n41\n```\n", "```python\nprint(42)\n```\n\n```text\n42\n```\n"),
        ("```console\n$ echo 42\n41\n\n$ true\n```\n", "```console\n$ echo 42\n42\n\n$ true\n```\n"),
        ("- a\n\n  ```console\n  $ echo 42\n  ```\n", "- a\n\n  ```console\n  $ echo 42\n  42\n  ```\n"),
    ],
)
def test_what_is_printed_replaces_what_is_shown(tmp_path, shown, printed):
    assert ran(tmp_path, shown) == (False, printed)
    assert ran(tmp_path, printed) == (True, printed)


def test_an_ellipsis_stands_for_any_lines():
    assert as_shown("1\n…\n4\n", "1\n2\n3\n4\n") == "1\n…\n4\n"
    assert as_shown("1\n…\n5\n", "1\n2\n3\n4\n") == "1\n2\n3\n4\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```\nwhat is it?\n```\n", "a block is one of python"),
        ("```sh\nfalse\n```\n", "ends with 1"),
        ("```{code-block} python\n1 / 0\n```\n", "a block is one of python"),
        ("```sh\nsudo true\n```\n", "sudo is not for tests"),
        ("```console\n$ make test\n```\n", "make is not for tests"),
        ("```csv\na,b\nc\n```\n", "rows have"),
        ('```sh\necho \'{"score": 1}\'\n```\n\n```json\n{"p_value": 1}\n```\n', "the keys of this answer are others"),
        ("<!-- not run: boring -->\n```sh\ntrue\n```\n", "none of the reasons"),
        ("<!-- not run: needs a GPU -->\n```sh\ntrue\n```\n", "nothing in the block needs a GPU"),
        ("<!-- needs: luck -->\n```sh\ntrue\n```\n", "'luck' is none of"),
        ("<!-- not run: needs a GPU -->\n\nSo it is.\n", "a mark stands directly above"),
        ("```sh\ntrue\n", "it has no end"),
    ],
)
def test_a_page_that_is_wrong_says_what_is_wrong_and_where(tmp_path, text, message):
    with pytest.raises(PageError, match=message) as caught:
        page(tmp_path, text).run()
    assert "page.md:" in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


def test_what_needs_something_that_is_missing_is_left_out_unless_it_is_required(tmp_path, monkeypatch):
    text = "<!-- needs: the real data -->\n```python\nraise ValueError\n```\n"
    monkeypatch.setenv("TONMF_DATA", str(tmp_path / "nowhere"))
    monkeypatch.delenv("TONMF_REQUIRE_DATA", raising=False)
    assert ran(tmp_path, text)[0]
    monkeypatch.setenv("TONMF_REQUIRE_DATA", "1")
    with pytest.raises(PageError, match="TONMF_REQUIRE_DATA is set, but the real data is missing"):
        page(tmp_path, text).run()


def test_directives_of_the_site_are_left_to_it(tmp_path):
    assert ran(tmp_path, "```{toctree}\npages/*\n```\n")[0]


def test_a_server_on_a_page_answers_its_curl(tmp_path):
    text = """\
    <!-- given: model -->
    ```sh
    tonmf serve model
    ```

    ```sh
    curl http://127.0.0.1:8765/healthz
    ```

    ```json
    {"status": "ok"}
    ```
    """
    assert ran(tmp_path, text)[0]
