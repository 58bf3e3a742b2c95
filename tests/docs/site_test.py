# SPDX-License-Identifier: Apache-2.0
"""Builds the site of the pages by scripts/site, then checks that its links lead to a file and an anchor, that its pages load
nothing from elsewhere, that no Markdown is left in their text, and that a second build gives the same bytes."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlsplit

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
LOADING = {"src", "srcset", "data", "poster"}
LEFT_OVER = re.compile(r"(?m)^\s*(?:[-*] |\|.*\|$|```|#+ ).*|(?<=\S\n)\s*1\. .*|.*(?:\]\(|\*\*).*")
IN_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?([^\"')]*)")
FOREIGN = re.compile(r"(?:https?:)?//")
UNREAD = {"code", "pre", "script", "style"}


class Page(HTMLParser):
    """The anchors of a page, what it links to, what it loads, and lines of its text that are Markdown."""

    def __init__(self, html):
        super().__init__()
        self.anchors, self.links, self.loads, self.markdown = set(), [], [], []
        self.unread = 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.unread += tag in UNREAD
        self.anchors.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        self.loads += [attributes[name] for name in LOADING & attributes.keys()]
        if "href" in attributes:
            (self.links if tag in ("a", "area") else self.loads).append(attributes["href"])

    def handle_endtag(self, tag):
        self.unread -= tag in UNREAD

    def handle_data(self, data):
        if not self.unread:
            self.markdown += LEFT_OVER.findall(data)


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = {path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
                      for path in sorted(folder.rglob("*.html"))}

    def wrong_link(self, page, link):
        """What is wrong with a link of a page; "" if nothing is, also if it leads to another site."""
        if urlsplit(link).scheme:
            return ""
        name, anchor = (unquote(part) for part in urldefrag(link))
        target = os.path.normpath(os.path.join(os.path.dirname(page), name) if name else page)
        if name.startswith("/"):  # Of the page for addresses that do not exist.
            target = os.path.normpath(name.lstrip("/") or "index.html")
        if not (self.folder / target).is_file():
            return f"{page}: {link}: there is no {target}"
        if anchor and anchor not in self.pages[target].anchors:
            return f"{page}: {link}: {target} has no such anchor"
        return ""


def build(folder, **environment):
    done = subprocess.run([SOURCE / "scripts/site", folder], capture_output=True, text=True, timeout=100, check=False,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not shutil.which("mkdocs"):
            raise unittest.SkipTest("no mkdocs")
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        build(cls.scratch / "site")
        cls.site = Site(cls.scratch / "site")

    def test_links_lead_somewhere(self):
        links = [(page, link) for page, parsed in self.site.pages.items() for link in parsed.links + parsed.loads]
        self.assertGreater(len(links), 1000)
        self.assertEqual([wrong for page, link in links if (wrong := self.site.wrong_link(page, link))], [])

    def test_every_page_is_in_the_navigation(self):
        linked = {os.path.normpath(link) for link in self.site.pages["index.html"].links}
        self.assertEqual([page for page in self.site.pages if page not in linked | {"404.html"}], [])
        self.assertIn("docs/howto/ascend.html", self.site.pages)

    def test_nothing_is_loaded_from_elsewhere(self):
        loads = [(page, load) for page, parsed in self.site.pages.items() for load in parsed.loads]
        for style in self.site.folder.rglob("*.css"):
            loads += [(style.name, url) for url in IN_STYLE.findall(style.read_text(encoding="utf-8"))]
        self.assertEqual([each for each in loads if FOREIGN.match(each[1])], [])

    def test_text_is_not_markdown(self):
        self.assertEqual([f"{page}: {line}" for page, parsed in self.site.pages.items() for line in parsed.markdown], [])
        readme = unescape((self.site.folder / "index.html").read_text(encoding="utf-8"))
        self.assertIn("<code>adarun logs [JOB|DIR]</code>", readme)

    def test_what_a_search_finds_is_there(self):
        index = json.loads((self.site.folder / "search/search_index.json").read_text(encoding="utf-8"))
        found = {each["location"] for each in index["docs"]}
        self.assertEqual([wrong for each in found if (wrong := self.site.wrong_link("index.html", each))], [])
        self.assertLess({"docs/ssh.html#jump-hosts", "docs/ranktable.html#validate---hosts"}, found)

    def test_a_second_build_gives_the_same_bytes(self):
        again = self.scratch / "again"
        build(again, TZ="Asia/Shanghai", LC_ALL="C", PYTHONHASHSEED="7")
        files = [{path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
                 for site in (self.site.folder, again)]
        self.assertEqual(files[0].keys(), files[1].keys())
        self.assertEqual([path for path in files[0] if files[0][path] != files[1][path]], [])

    def test_a_folder_of_others_is_not_replaced(self):
        (self.scratch / "letter").write_text("text", encoding="utf-8")
        with self.assertRaisesRegex(AssertionError, "not empty, and no site"):
            build(self.scratch)
        self.assertTrue((self.scratch / "letter").exists())
