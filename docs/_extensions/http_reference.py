"""Reference pages for HTTP from the OpenAPI document: a page for each group of requests, and one of what they answer."""

import json
import re

from written import heading

BY_NAME = "/v1/models/{name}/"
TITLES = {"documents": "Score and explain", "model": "The model", "models": "Several models", "server": "The server"}
ANSWERS = "answers"


def plain(text):
    """Return a description in which only code is markup."""
    text = re.sub(r"``?([^`]+)``?", "\0\\1\0", text or "").replace("\n", " ")
    pieces = [
        f"``{piece}``" if place % 2 else re.sub(r"([\\*|_])", r"\\\1", piece)
        for place, piece in enumerate(text.split("\0"))
    ]
    return "".join(pieces)


def kind(schema):
    """Return what a value is, with links to what is described."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f":ref:`{name} <http-{name.lower()}>`"
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(map(kind, schema[choice])))
    if "enum" in schema:
        return " or ".join(f"``{value}``" for value in schema["enum"])
    if schema.get("type") == "array":
        inner = kind(schema.get("items", {}))
        return f"list of ({inner})" if " or " in inner else f"list of {inner}"
    return str(schema.get("type", "any value"))


def value(name, schema, required, said=None):
    """Return a line of a definition list for a parameter or a key."""
    default = schema.get("default")
    more = " (required)" if required else f" (default: ``{json.dumps(default)}``)" if default is not None else ""
    text = plain(said or schema.get("description")) or "\\ "
    return f"``{name}``: {kind(schema)}{more}\n    {text}\n\n"


def keys(schema):
    """Return the keys of an object."""
    required = schema.get("required", ())
    return "".join(value(name, each, name in required) for name, each in schema.get("properties", {}).items())


def request(method, path, operation, is_by_name):
    """Return what is said about one request."""
    text = heading(f"{method.upper()} {path}", "-") + plain(operation.get("description")) + "\n\n"
    if is_by_name:
        text += f"The same by a named model: ``{path.replace('/v1/', BY_NAME)}``.\n\n"
    for parameter in operation.get("parameters", ()):
        text += value(parameter["name"], parameter["schema"], parameter.get("required"), parameter.get("description"))
    for content, body in operation.get("requestBody", {}).get("content", {}).items():
        text += f"Body, ``{content}``: {kind(body.get('schema', {}))}.\n\n" + keys(body.get("schema", {}))
    text += "Answers\n    " + "\n    ".join(
        f"| ``{code}`` {plain(answer['description'])}"
        + "".join(
            f" {kind(each['schema'])}"
            for each in answer.get("content", {}).values()
            if "$ref" in each.get("schema", {})
        )
        for code, answer in operation["responses"].items()
    )
    return text + "\n\n"


def pages_of(described):
    """Return the pages by name."""
    groups, paths = {}, described["paths"]
    for path, operations in paths.items():
        plainly = path.replace(BY_NAME, "/v1/")
        if path != plainly and plainly in paths:
            continue
        for method, operation in operations.items():
            is_by_name = path.replace("/v1/", BY_NAME, 1) in paths
            groups.setdefault(operation["tags"][-1], []).append(request(method, path, operation, is_by_name))
    pages = {tag: heading(TITLES.get(tag, tag.capitalize()), "=") + "".join(said) for tag, said in groups.items()}
    pages[ANSWERS] = heading("Answers", "=") + "What the values of JSON mean.\n\n"
    for name, schema in described["components"]["schemas"].items():
        pages[ANSWERS] += (
            f".. _http-{name.lower()}:\n\n"
            + heading(name, "-")
            + plain(schema.get("description"))
            + "\n\n"
            + keys(schema)
        )
    return pages
