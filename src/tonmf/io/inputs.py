"""Find the files that the user means: files, folders, archives, patterns, standard input."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tonmf.errors import InputError, Param
from tonmf.io.archives import Place, ZipArchive, is_archive, name_in
from tonmf.io.contents import Member, all_mails, is_clutter, read_as_tables
from tonmf.io.formats import FORMAT_OF, ONE_EACH, format_of, split_name
from tonmf.io.paths import STDIN, matches
from tonmf.io.saved_datasets import SavedSplit, saved_splits
from tonmf.wording import cannot, number_of, path_shown


@dataclass(frozen=True)
class Input:
    """One thing to read.

    ``path`` is None for standard input, or where only ``members`` count. ``format`` is None if the content is to decide. For a
    folder or an archive, or for several files that are a document each, ``members`` are the files, as pairs of id and place
    (None again for standard input); for a saved dataset they are its Arrow files. ``notes`` tell how it was found.
    """

    name: str
    path: Place
    format: str | None
    members: tuple[Member, ...] = ()
    notes: tuple[str, ...] = ()


def find_inputs(paths: Sequence[str], given_format: str | None) -> list[Input]:
    """Return the inputs in the order of `paths`; the files of a pattern or a folder by name."""
    if not paths:
        raise InputError("Expected files to read, got none. Give files, folders, or - for standard input.")
    named = [path for given in paths for path in matches(os.fspath(given))]
    found = list({path if path == STDIN else os.path.realpath(path): path for path in reversed(named)}.values())[::-1]
    containers = [path for path in found if path != STDIN and (os.path.isdir(path) or is_archive(path))]
    base_names = Counter(map(os.path.basename, found))
    inputs: list[Input] = []
    single: dict[str, list[Member]] = {}
    positions: dict[str, int] = {}
    for path in found:
        name = path_shown(os.path.basename(path) if base_names[os.path.basename(path)] == 1 else path)
        if path == STDIN:
            inputs.append(Input("stdin", None, given_format, (("stdin", None),)))
        elif os.path.isdir(path):
            inputs += _folder(path, given_format, several=len(containers) > 1)
        elif is_archive(path):
            inputs += _archive(path, name, given_format, several=len(containers) > 1)
        elif (form := given_format or format_of(path)) in ONE_EACH:
            positions.setdefault(form, len(inputs) + len(positions))
            single.setdefault(form, []).append((name, path))
        else:
            inputs.append(Input(name, path, form))
    for form, members in single.items():
        inputs.insert(positions[form], _one_each(form, members))
    return inputs


def _one_each(form: str, members: list[Member]) -> Input:
    """Return files that are a document each as one input."""
    name = members[0][0] if len(members) == 1 else f"the {len(members):,} files"
    return Input(name, None, form, tuple(members))


def _folder(folder: str, given_format: str | None, several: bool) -> list[Input]:
    """List all files beneath a folder, except hidden ones and the clutter that macOS leaves in archives."""
    name = path_shown(folder.rstrip("/" + os.sep) or folder)
    splits = saved_splits(folder, name) if given_format in (None, "arrow") else []
    if splits:
        return [_split(split) for split in splits]
    if given_format not in (None, *ONE_EACH):
        raise InputError(
            f"{name} is a folder, which is read as one document a file. For ",
            Param("format", given_format),
            f" give the files, such as '{name}/*'.",
        )
    members: list[Member] = []
    for root, subfolders, files in os.walk(folder, onerror=_stop):
        subfolders[:] = [sub for sub in subfolders if not is_clutter(sub)]
        for file in files:
            path = os.path.join(root, file)
            if not is_clutter(file) and (os.path.isfile(path) or os.path.islink(path)):
                inside = path_shown(os.path.relpath(path, folder).replace(os.sep, "/"))
                members.append((f"{name}/{inside}" if several else inside, path))
    return _contents(name, folder, sorted(members, key=lambda member: member[0]), given_format)


def _archive(path: str, name: str, given_format: str | None, several: bool) -> list[Input]:
    """List the files in an archive. A lone file is read as if it were given itself, as with gzip."""
    members: list[Member] = []
    for member in ZipArchive(path, name).members():
        if not any(map(is_clutter, member.name.split("/"))):
            inside = path_shown(member.name)
            members.append((f"{name}/{inside}" if several else inside, member))
    if len(members) == 1:
        ((inside, place),) = members
        form = given_format or format_of(name_in(place))
        return [_one_each(form, members) if form in ONE_EACH else Input(inside, place, form)]
    if given_format not in (None, *ONE_EACH):
        fitting = [member for member in members if _format_by_name(member[1]) == given_format]
        return [Input(inside, place, given_format) for inside, place in fitting or members]
    return _contents(name, path, members, given_format)


def _contents(name: str, path: str, members: list[Member], given_format: str | None) -> list[Input]:
    """Return a folder or an archive as one input, a document a file; if it holds only tables, each of them as an input."""
    tables = read_as_tables(members) if given_format is None else []
    if not tables:
        form = given_format or ("mail" if all_mails(members) else "files")
        return [Input(name, path, form, tuple(members))]
    notes = []
    if n_others := len(members) - len(tables):
        read = {inside for inside, _ in tables}
        first = next(inside for inside, _ in members if inside not in read)
        were = "was" if n_others == 1 else "were"
        notes.append(
            f"{name} holds {number_of(len(tables), 'table')}, which {'was' if len(tables) == 1 else 'were'} read; "
            f"{number_of(n_others, 'other file')} {were} left out (first: {first})."
        )
    inputs = [Input(inside, place, format_of(name_in(place))) for inside, place in tables]
    return [Input(inputs[0].name, inputs[0].path, inputs[0].format, (), tuple(notes)), *inputs[1:]]


def _format_by_name(place: Place) -> str | None:
    return FORMAT_OF.get(split_name(name_in(place))[1])


def _split(split: SavedSplit) -> Input:
    """Return a split of a saved dataset as an input."""
    return Input(split.name, split.folder, "arrow", tuple((split.name, file) for file in split.files))


def _stop(error: OSError) -> None:
    raise InputError(cannot("read", str(error.filename), error)) from error
