#!/usr/bin/env python3
"""Writes crates/cli/src/page/reference.html, the page at /docs, of docs/openapi.yaml: each parameter has a command with `curl`, and
what that prints of the sample data. Run it whenever the description changes. Usage: PYTHON tests/dashboard/reference.py, where PYTHON
has the packages of requirements.txt
"""

import html
import json
import re
import subprocess
import textwrap
from urllib.parse import urlencode

import yaml

from support import DEMO_KEY, ROOT, sample

DESCRIPTION = ROOT / "docs/openapi.yaml"
PAGE = ROOT / "crates/cli/src/page/reference.html"
ADDRESS = "http://127.0.0.1:3000"
# What every request of an operation has, so that its answer is the same on each day; and how it says who asks.
OPERATIONS = {
    "/api/users": (["project"], "-u demo:demo-password-0000"),
    "/api/v2/response-statistics": (["project", "startDate", "endDate"], f"-H 'AuthKey: {DEMO_KEY}'"),
}
# What a parameter means nothing without.
NEEDED = {
    "cursor": {"limit": 2},
    "weekStart": {"interval": "week"},
    "groupLimit": {"groupBy": "plan"},
    "window": {"interval": "month"},
}
# How many elements of a list an answer shows.
SHOWN = 2

TEMPLATE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>{title}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="../dashboard/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="../dashboard/styles/base.css">
    <link rel="stylesheet" href="../dashboard/styles/reference.css">
  </head>
  <body>
    <header>
      <h1>{title}</h1>
      <p><a href="../">Dashboard</a> <a href="../openapi.yaml">openapi.yaml</a></p>
    </header>
    <nav aria-label="Contents">
{contents}
    </nav>
    <main>
{introduction}
<p>These commands ask <code>feedback serve</code> with its sample data, and the answers stand under them, divided into lines.
Elsewhere, replace the address, the project and the secret.</p>
{operations}
{schemas}
    </main>
  </body>
</html>
"""


class Description:
    """A document of OpenAPI, and what prints the answers to the commands."""

    def __init__(self, document, answer):
        self.document = document
        self.answer = answer

    def resolved(self, part):
        """Returns what a part refers to; what stands beside the reference takes precedence."""
        if "$ref" not in part:
            return part
        found = self.document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return self.resolved(found) | {name: value for name, value in part.items() if name != "$ref"}

    def page(self):
        operations = [(path, item["get"]) for path, item in self.document["paths"].items()]
        described = self.document["components"]["schemas"].items()
        schemas = {name: schema for name, schema in described if "properties" in schema}
        members = ("members", "Members of the answers")
        links = [(one["operationId"], path, self.names(one)) for path, one in operations]
        links.append((*members, [(f"schema-{name}", name) for name in schemas]))
        info = self.document["info"]
        return TEMPLATE.format(
            title=html.escape(info["title"]),
            contents="\n".join(contents(*link) for link in links),
            introduction=prose(info["description"]),
            operations="\n".join(self.operation(*one) for one in operations),
            schemas=section(*members, *map(self.schema, schemas, schemas.values())),
        )

    def names(self, operation):
        names = [parameter["name"] for parameter in map(self.resolved, operation["parameters"])]
        return [(f"{operation['operationId']}-{name}", name) for name in names]

    def operation(self, path, operation):
        known = {}
        parameters = [self.resolved(parameter) for parameter in operation["parameters"]]
        known_schemes = self.document["components"]["securitySchemes"]
        schemes = [known_schemes[name] for one in operation["security"] for name in one]
        responses = {status: self.resolved(one) for status, one in operation["responses"].items()}
        return section(
            operation["operationId"],
            operation["summary"],
            f'<p class="request"><code>GET {html.escape(path)}</code></p>',
            prose(operation["description"]),
            table("Credentials", [(scheme_name(one), one["description"]) for one in schemes]),
            *[self.parameter(path, operation, parameter, parameters, known) for parameter in parameters],
            table("Statuses", [(status, one["description"]) for status, one in responses.items()]),
            self.headers(responses),
        )

    def headers(self, responses):
        found = {}
        for response in responses.values():
            found |= {name: self.resolved(one) for name, one in response["headers"].items()}
        described = [(name, one["description"]) for name, one in found.items() if "description" in one]
        return table("Headers", described)

    def parameter(self, path, operation, parameter, parameters, known):
        name = parameter["name"]
        base, who = OPERATIONS[path]
        given = {one["name"]: one.get("example") for one in parameters if one["name"] in base}
        tries = []
        for title, value in self.values(parameter, known):
            asked = given | NEEDED.get(name, {}) | {name: value}
            command = f"curl {who} '{ADDRESS}{path}?{urlencode(asked, doseq=True, safe=':=,/')}'"
            printed, link = self.answer(command)
            known |= {"userId": first_user(printed), **link} if path == "/api/users" else {}
            tries += [f"<p>{inline(title)}:</p>"] if title else []
            tries.append(f"<pre><code>{html.escape(command)}</code></pre>")
            tries.append(f'<pre class="answer">{shown(printed)}</pre>')
        required = ", required" if parameter.get("required") else ""
        kind = f'<span class="soft">{inline(self.kind(parameter["schema"]))}{required}</span>'
        identity = f"{operation['operationId']}-{name}"
        heading = f"<h3><code>{html.escape(name)}</code> {kind}</h3>"
        body = "\n".join([heading, prose(parameter["description"]), *tries])
        return f'<section class="parameter" id="{html.escape(identity)}">\n{body}\n</section>'

    def values(self, parameter, known):
        """Returns the values to try, each with what it means if there are several."""
        schema = self.resolved(parameter["schema"])
        if "examples" in parameter:
            return [(one["summary"], one["value"]) for one in parameter["examples"].values()]
        given = [parameter.get("example"), schema.get("const"), schema.get("enum", [None])[-1]]
        return [("", next(value for value in [*given, known.get(parameter["name"])] if value is not None))]

    def kind(self, schema):
        """Says in words what a value may be; an object with members of its own has a name."""
        name = schema.get("$ref", "").split("/")[-1]
        schema = self.resolved(schema)
        if name and "properties" in schema:
            return f"`{name}`"
        if "const" in schema or "enum" in schema:
            return ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
        if "anyOf" in schema or "oneOf" in schema:
            kinds = [self.kind(one) for one in schema.get("anyOf", schema.get("oneOf"))]
            return " or ".join(dict.fromkeys(kinds))
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if types == ["array"]:
            return f"array of {self.kind(schema['items'])}"
        low, high = (schema.get(name) for name in ("minimum", "maximum"))
        limits = f", {low} to {high}".replace("-", "−") if low is not None and high is not None else ""
        return " or ".join({"null": "null"}.get(one, one) for one in types) + limits

    def schema(self, name, schema):
        parts = [f"<h3>{html.escape(name)}</h3>"]
        if "description" in schema:
            parts.append(prose(schema["description"]))
        parts.append(table(name, self.members(schema, "")))
        if "example" in schema:
            parts.append(f'<pre class="answer">{html.escape(formatted(schema["example"]))}</pre>')
        body = "\n".join(parts)
        return f'<section class="parameter" id="schema-{html.escape(name)}">\n{body}\n</section>'

    def members(self, schema, within):
        """Yields each member with what it means, and those of objects that have no name."""
        for name, part in schema["properties"].items():
            said = self.resolved(part)
            optional = "" if name in schema.get("required", []) else " (optional)"
            yield within + name, f"{self.kind(part)}{optional}. {said.get('description', '')}".strip()
            inner = part.get("items", part)
            if "properties" in inner:
                yield from self.members(inner, f"{within}{name}{'[]' if 'items' in part else ''}.")


def contents(identity, title, parts):
    links = "".join(f'<li><a href="#{html.escape(to)}">{html.escape(name)}</a></li>' for to, name in parts)
    return f'<p><a href="#{html.escape(identity)}">{html.escape(title)}</a></p>\n<ul>{links}</ul>'


def section(identity, title, *parts):
    body = "\n".join(part for part in parts if part)
    return f'<section id="{html.escape(identity)}">\n<h2>{inline(title)}</h2>\n{body}\n</section>'


def table(caption, rows):
    """Makes a table of names and what they mean."""
    line = '<tr><th scope="row"><code>{}</code></th><td>{}</td></tr>'
    body = "\n".join(line.format(html.escape(name), inline(text)) for name, text in rows)
    return f"<table>\n<caption>{html.escape(caption)}</caption>\n<tbody>\n{body}\n</tbody>\n</table>"


def inline(text):
    """Escapes a text, of which backticks mark code."""
    parts = re.split(r"`([^`]*)`", " ".join(text.split()))
    escaped = [html.escape(part) for part in parts]
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(escaped))


def prose(text):
    return "\n".join(f"<p>{inline(part)}</p>" for part in text.strip().split("\n\n"))


def scheme_name(scheme):
    return scheme["name"] if scheme["type"] == "apiKey" else f"Authorization: {scheme['scheme'].title()}"


def shown(printed):
    """Formats a document, of whose list only the first elements are shown."""
    document = json.loads(printed)
    (elements,) = (value for value in document.values() if isinstance(value, list))
    more = len(elements) - SHOWN
    del elements[SHOWN:]
    # The sample data grows each day.
    rest = "\n… and more" if more > 0 else ""
    return html.escape(formatted(document) + rest)


def formatted(value, indent=0):
    """Formats JSON: what fits stands on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if indent + len(flat) <= 96 or not isinstance(value, (dict, list)):
        return flat
    members = value.items() if isinstance(value, dict) else ((None, one) for one in value)
    start = lambda name: f"{json.dumps(name)}: " if name is not None else ""
    lines = [start(name) + formatted(one, indent + 2) for name, one in members]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{textwrap.indent(f',{chr(10)}'.join(lines), '  ')}\n{closing}"


def first_user(printed):
    users = json.loads(printed)["users"]
    return users[0]["userId"] if users else None


def run(command):
    """Runs a command of the page with the sample data; returns what it prints, and the cursor of its `Link`."""
    here = command.replace("curl ", "curl --silent --show-error --include ", 1).replace(ADDRESS, sample().url)
    printed = subprocess.run(["sh", "-c", here], check=True, capture_output=True, text=True).stdout
    head, _, body = printed.partition("\n\n")
    link = re.search(r"^link: .*[?&]cursor=([^&>]*)", head, re.MULTILINE | re.IGNORECASE)
    return body, {"cursor": link[1]} if link else {}


def written():
    return Description(yaml.safe_load(DESCRIPTION.read_text()), run).page()


if __name__ == "__main__":
    PAGE.write_text(written())
