"""JSON files with a checksum."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from tonmf.storage.array_file import DamagedFileError
from tonmf.storage.atomic import part_name, whole_or_nothing


def write_json(path: Path, value: Any) -> None:
    """Write a value to a file, whole or not at all."""
    # Keep lone surrogates, which an item may hold.
    content = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    with whole_or_nothing(path, part_name(path)) as temporary:
        temporary.write_bytes(b"%010d\n%b\n" % (zlib.crc32(content), content))


def read_json(path: Path) -> Any:
    """Read a value; raise `DamagedFileError` if the file was changed since."""
    try:
        checksum, content = path.read_bytes().split(b"\n", 1)
        if int(checksum) != zlib.crc32(content.removesuffix(b"\n")):
            raise ValueError("checksum")
        return json.loads(content.decode("utf-8", "surrogatepass"))
    except (OSError, ValueError) as error:
        raise DamagedFileError(
            f"{path} is damaged: it cannot be read ({error}). Remove the folder {path.parent} and run again."
        ) from error
