"""Pages are tests: all that README, CONTRIBUTING and docs show is run (tests/support/documented.py)."""

import difflib

import command
import pytest
from documented import Page, PageError


def pytest_collect_file(file_path, parent):
    return PageFile.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None


def pytest_unconfigure():
    command.close()


class PageFile(pytest.File):
    def collect(self):
        page = Page(self.path)
        if page.blocks:
            yield PageItem.from_parent(self, name="blocks", page=page)


class PageItem(pytest.Item):
    def __init__(self, *, page, **options):
        super().__init__(**options)
        self.page = page
        self.fixturenames = ["processes"] if page.starts_processes() else []

    def runtest(self):
        after = self.page.run().splitlines()
        if after != self.page.lines:
            changes = difflib.unified_diff(self.page.lines, after, "the page", "what is printed", n=1, lineterm="")
            renew = f"python tests/support/documented.py {self.path.relative_to(self.config.rootpath)} writes it"
            raise PageError("\n".join(["it shows something else than what is printed:", *changes, renew]))

    def repr_failure(self, excinfo):
        if excinfo.errisinstance(PageError):
            return "\n".join([str(excinfo.value), *getattr(excinfo.value, "__notes__", ())])
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, str(self.path.relative_to(self.config.rootpath))
