"""Pages that are written while the site is built, from the code: files beside their section's index, which git ignores."""

from pathlib import Path


def write_pages(folder: Path, pages: dict[str, str]) -> None:
    """Write the pages of a folder by name, drop those of earlier builds, and leave alone what is as it was."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def heading(title: str, line: str) -> str:
    """Return a heading underlined by `line`."""
    return f"{title}\n{line * len(title)}\n\n"
