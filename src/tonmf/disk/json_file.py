"""JSON in files that appear whole or not at all, with a checksum."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from tonmf.sources.array_file import DamagedFileError


def write_json(path: Path, value: Any) -> None:
    """Write a value."""
    content = json.dumps(value, ensure_ascii=False)
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(f"{zlib.crc32(content.encode()):010}\n{content}\n", encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_json(path: Path) -> Any:
    """Read it again, if it is as it was."""
    try:
        checksum, content = path.read_text(encoding="utf-8").split("\n", 1)
        if int(checksum) != zlib.crc32(content.removesuffix("\n").encode()):
            raise ValueError("checksum")
        return json.loads(content)
    except (OSError, ValueError) as error:
        raise DamagedFileError(
            f"{path} is damaged: it cannot be read ({error}). Remove the folder {path.parent} and run again."
        ) from error
