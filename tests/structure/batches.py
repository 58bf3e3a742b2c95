# SPDX-License-Identifier: Apache-2.0
"""Divides headers into batches, so that a header that compiles in its batch also compiles by itself.

The headers of a batch are included one after another, those with the fewest includes first, so a missing include could be
hidden by a header before it. Therefore a header is never put behind one that it does not include and that declares a name
which it uses. That test reads only the text and errs on the safe side; the compiler then finds missing includes. Headers
that include different outside libraries are never in one batch. For the standard library see standard_names.py.
"""
import re
from dataclasses import dataclass, field

from sources import INCLUDE, code_of, included
from standard_names import STANDARD

KEYWORDS = set("alignas class const decltype default delete else enum explicit extern final for if namespace noexcept operator"
               " override requires return static_assert struct template typename union using void while".split())
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
DECLARED = re.compile(r"\b([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:\bfinal\s*)?(?=[@=;,{]|:(?!:))")
FORWARD = re.compile(r"\b(?:class|struct|enum(?: class)?)\s+([A-Za-z_]\w*)\s*(?::[\w\s:]*)?;")


@dataclass
class Header:
    """One header: what it includes, declares and uses. A declaration is (namespace, name)."""
    path: str
    direct: set = field(default_factory=set)  # Headers of ours that it includes itself.
    outside: set = field(default_factory=set)  # Outside libraries, except the standard library.
    includes: set = field(default_factory=set)  # `direct`, and what these include.
    namespaces: set = field(default_factory=set)  # Those it opens, and the enclosing ones.
    defined: set = field(default_factory=set)
    forward: set = field(default_factory=set)
    used: set = field(default_factory=set)  # Names without a namespace.
    qualified: set = field(default_factory=set)  # (last part of the namespace, name).

    def refers_to(self, namespace, name):
        return (name in self.used and namespace in self.namespaces) or (namespace.split("::")[-1], name) in self.qualified


@dataclass
class Batch:
    outside: set
    paths: list = field(default_factory=list)
    seen: set = field(default_factory=set)  # `paths`, and what these include.


def texts_by_namespace(code):
    """Namespace -> its code, with all inner braces emptied to {}; extern "C" is not a namespace."""
    texts, open_braces = {"": ""}, []
    for piece in re.findall(r"[{}]|[^{}]+", code):
        if piece == "}" and open_braces:
            open_braces.pop()
        if None in open_braces:
            open_braces += [None] if piece == "{" else []
            continue
        here = "::".join(filter(None, open_braces))
        texts.setdefault(here, "")
        opened = re.search(r'(?:\bnamespace\s*([\w:]*)|\bextern\s*"")\s*$', texts[here]) if piece == "{" else None
        if piece == "{":
            open_braces.append((opened[1] or "") if opened else None)
        texts[here] = texts[here][: opened.start()] if opened else texts[here] + piece
    return texts


def folded(pattern, by, text):
    """Replaces matches until none is left, so nested ones from the inside out."""
    count = 1
    while count:
        text, count = re.subn(pattern, by, text)
    return text


def declarations_of(text):
    """The names that code at namespace level declares: (complete declarations, forward declarations)."""
    flat = folded(r"<[^<>;{}]*>", "", folded(r"\([^()]*\)", "@", text))
    flat = re.sub(r"(?<!:):(?!:)[^;{}]*\{", "{", flat)  # The bases of a class.
    return set(DECLARED.findall(FORWARD.sub("", flat))) - KEYWORDS, set(FORWARD.findall(flat))


def read_header(path, text, exists):
    header = Header(path)
    for quote, name in INCLUDE.findall(text):
        target = included(path, name, exists) if quote == '"' else None
        if target:
            header.direct.add(target)
        elif name not in STANDARD:
            header.outside.add(name.split("/")[0])
    code = code_of(text)
    header.used = set(re.findall(r"(?<![\w.:])(?<!->)[A-Za-z_]\w*", code)) - KEYWORDS
    header.qualified = set(re.findall(r"(\w*)::(\w+)", code))
    header.defined = {("", name) for name in DEFINE.findall(code)}
    for namespace, part in texts_by_namespace(DIRECTIVE.sub("", DEFINE.sub("", code))).items():
        parts = namespace.split("::")
        header.namespaces |= {"::".join(parts[:count]) for count in range(len(parts) + 1)}
        defined, forward = declarations_of(part)
        header.defined |= {(namespace, name) for name in defined}
        header.forward |= {(namespace, name) for name in forward}
    return header


def read_headers(files):
    """Path -> Header, of the headers among files (path -> text), with all that they include."""
    headers = {path: read_header(path, text, files.__contains__) for path, text in files.items() if path.endswith(".h")}
    for header in headers.values():
        waiting = list(header.direct)
        while waiting:
            path = waiting.pop()
            if path not in header.includes and path in headers:
                header.includes.add(path)
                waiting += headers[path].direct
    return headers


def conflicts(header, headers):
    """The headers behind which `header` must not be: they declare names that it uses, and it does not include them."""
    own = header.forward.union(header.defined, *(headers[path].forward | headers[path].defined for path in header.includes))
    return {path for path, other in headers.items()
            if path != header.path and path not in header.includes
            and any(header.refers_to(*name) for name in other.defined | other.forward - own)}


def batches(headers):
    """Lists of paths: each header in one of them."""
    made = []
    for header in sorted(headers.values(), key=lambda header: (len(header.includes), header.path)):
        outside = header.outside.union(*(headers[path].outside for path in header.includes))
        against = conflicts(header, headers)
        batch = next((batch for batch in made if batch.outside == outside and not batch.seen & against), None)
        if not batch:
            batch = Batch(outside)
            made.append(batch)
        batch.paths.append(header.path)
        batch.seen |= {header.path} | header.includes
    return [batch.paths for batch in made]
