"""Paths within a content, in the form of an index: relative to the content, or absolute in an installation."""

from __future__ import annotations

_OF_CACHES, _GRAPH = "./", "#"


class ContentPath(str):
    """The path of a page, a folder, a file of a build cache, or the dependency graph of a tag.

    Paths of folders end in `/`, and the empty one is the content folder. Paths of pages never begin as those of build
    caches do. Values that are written as JSON, such as problems, have a plain `str`.
    """

    __slots__ = ()

    @classmethod
    def of_cache(cls, below: str = "") -> ContentPath:
        """Return the path of a file or folder of a build cache, by default of the folder above all caches."""
        return cls(_OF_CACHES + below)

    @property
    def is_of_cache(self) -> bool:
        """Whether it is a file, a folder or the graph of build caches."""
        return self.startswith(_OF_CACHES)

    @property
    def is_graph(self) -> bool:
        """Whether it is the dependency graph of a tag."""
        return self.is_of_cache and self.endswith(_GRAPH)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return not self or self.endswith("/")

    @property
    def in_content(self) -> str:
        """The path below the content folder; for a graph that of the folder above all caches of the tag."""
        return self.removeprefix(_OF_CACHES).removesuffix(_GRAPH)

    @property
    def folder(self) -> ContentPath:
        """The folder that holds it."""
        above, slash, _ = self.removesuffix("/").rpartition("/")
        return ContentPath(above + slash)

    @property
    def graph(self) -> ContentPath:
        """The dependency graph of the tag whose caches are in this folder."""
        return ContentPath(self + _GRAPH)

    @property
    def tag(self) -> ContentPath:
        """The folder above all caches of the tag of this graph."""
        return ContentPath(self.removesuffix(_GRAPH))

    def page(self, package: str) -> ContentPath:
        """Return the page of a package of the tag whose caches are in this folder."""
        return ContentPath(f"{self}{_GRAPH}{package}")
