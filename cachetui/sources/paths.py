"""The paths of an index: relative to the content, or absolute in an installation."""

_OF_CACHES, _GRAPH = "./", "#"


class ContentPath(str):
    """A path in an index: of a page, a folder, a file of a build cache, or the dependency graph of a tag.

    The path of a folder ends in `/`, and the empty path is the content folder. Paths of build caches begin with a
    prefix that paths of pages never have. In objects that are written as JSON, such as `Problem`, a path is a `str`.
    """

    __slots__ = ()

    @classmethod
    def of_cache(cls, below: str = "") -> "ContentPath":
        """Return the path of a file or folder of a build cache. `below` is relative to the content.

        Without `below`, return the path of the folder above all build caches.
        """
        return cls(_OF_CACHES + below)

    @property
    def is_of_cache(self) -> bool:
        """Whether the path belongs to build caches. It may be the path of a file, a folder or a dependency graph."""
        return self.startswith(_OF_CACHES)

    @property
    def is_graph(self) -> bool:
        """Whether this is the path of the dependency graph of a tag."""
        return self.is_of_cache and self.endswith(_GRAPH)

    @property
    def is_folder(self) -> bool:
        """Whether this is the path of a folder."""
        return not self or self.endswith("/")

    @property
    def in_content(self) -> str:
        """The path relative to the content folder. For a graph, the folder above all build caches of the tag."""
        return self.removeprefix(_OF_CACHES).removesuffix(_GRAPH)

    @property
    def folder(self) -> "ContentPath":
        """The parent folder."""
        above, slash, _ = self.removesuffix("/").rpartition("/")
        return ContentPath(above + slash)

    @property
    def graph(self) -> "ContentPath":
        """The path of a tag's dependency graph. `self` must be the folder above the build caches of the tag."""
        return ContentPath(self + _GRAPH)

    @property
    def tag(self) -> "ContentPath":
        """The folder above all build caches of a tag. `self` must be the dependency graph of the tag."""
        return ContentPath(self.removesuffix(_GRAPH))

    def page(self, package: str) -> "ContentPath":
        """Return the path that the index uses for the rows of a package from the build caches of a tag.

        `self` must be the folder above these build caches.
        """
        return ContentPath(f"{self}{_GRAPH}{package}")


def tag_path(cache: str, *, within_cache: bool) -> ContentPath:
    """Return the folder above all build caches that have the same tag as the build cache at the path `cache`.

    `within_cache` means that the content folder itself is a build cache.
    """
    tag, slash, _ = cache.partition("/")
    return ContentPath.of_cache("" if within_cache else tag + slash)
