"""What is put in place of a slip when a query is kept."""

from __future__ import annotations

import pytest

from cachetui.explain.mending import mended
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from tests.support.rows import index_of, row


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("hfd5", "hdf5"),
        ("hdff5 @1.14", "hdf5@1.14"),
        ("zlb", "zlib"),
        ("ZLBI", "zlib"),
        ("hdf5", None),
        ("hdf", None),  # written in hdf5
        ("hdf4", None),  # may be another package
        ("bzip2", None),  # and so may it be with a number
        ("zlib2", None),
        ("py-p", None),
        ("pyp", None),  # two are found
        ("hdff5 os=rhel8", "hdf5 os=rhel8"),
        ("pyp os=rhel8", None),
    ],
)
def test_a_slip_of_the_one_name_that_is_found_is_mended(query: str, wanted: str | None) -> None:
    names = ("hdf5", "zlib", "py-mpi4py", "py-pip", "bzip")
    index = index_of([row(name, hash=str(k) * 32) for k, name in enumerate(names, 2)])
    found, mendings = mended(Results.of(index, Query.parse(query, fuzzy_name=True)))
    assert (str(found) if mendings else None) == wanted


@pytest.fixture(scope="module")
def index() -> Index:
    rows = [
        row("hdf5", version="1.14.3", os="ubuntu22.04", variants=("+mpi", "~mpfr", "api=default")),
        row("hdf5", version="1.12.2", os="ubuntu20.04", variants=("~mpi", "~shard", "~shared")),
        row("zlib", "main", compiler="clang@17.0.1", os="rhel8", target="zen3", stacks=["e4s", "e4s-oneapi"]),
        row("zlib", tag="v1", os="sles15", hash="z" * 32),
        row("ruby", "maint", stacks=["e4s-oneapi", "ml"], variants=("+pthreads", "link=static")),
        row(
            "swig",
            compiler="apple-clang@15.0.0",
            stacks=["sstack"],
            variants=("+threads", "link=statics", "thread=posix", "cuda_arch=90a"),
        ),
    ]
    return index_of(rows)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("hdf5 %gccc", "hdf5 %gcc"),
        ("hdf5 %gccc@11", "hdf5 %gcc@11"),
        ("hdf5 %gccc@99", None),
        ("hdf5 api=defualt", "hdf5 api=default"),
        ("hdf5 api=defaulx", None),
        ("%cland", None),  # another letter, another compiler
        ("hdf5 +mpii", "hdf5 +mpi"),
        ("hdf5 +mpx", None),
        ("hdf5 ~shaed", None),  # shard and shared are as near
        ("ruby +pthreds", "ruby +pthreads"),
        ("ruby +threads", None),  # what swig has is no slip
        ("ruby ~threads", None),
        ("ruby +thread", None),  # nor is one that has other values there
        ("ruby link=statics", None),
        ("ruby@main", None),
        ("ruby stack=e4", "ruby stack=e4s-oneapi"),  # all that ruby has of what begins so
        ("stack=m", None),  # a letter may be anything
        ("ruby@mait", "ruby@maint"),
        ("stack=e4", "stack=e4s"),
        ("os=ubunut22.04", "os=ubuntu22.04"),
        ("os=UBUNUT22.04", "os=ubuntu22.04"),
        ("os=ubutu22.04 hdf5", "hdf5 os=ubuntu22.04"),
        ("os=ubuntu21.04", None),
        ("os=rhel9", None),
        ("os=ubuntu2204", None),
        ("os=rhel", None),  # of another number it may be another one
        ("tag=develop os=rhel", None),
        ("os=ub", None),  # two begin so
        ("hdf5 os=ub", None),
        ("hdf5@1.12.2 os=ub", "hdf5@1.12.2 os=ubuntu20.04"),  # one is left
        ("hdf5@1.12.2 os=u", None),
        ("hdf5 os=rh", "hdf5 os=rhel8"),  # of what begins so nothing is left, and there is one
        ("zlib os=rh", "zlib os=rhel8"),
        ("zlib os=rhel", "zlib os=rhel8"),
        ("zlib %ll", "zlib %llvm"),
        ("zlib target=zen", None),  # a target, if not here
        ("zlib target=ze", "zlib target=zen3"),
        ("hdf5 +mp", "hdf5 +mpi"),  # ~mpfr is off
        ("+pt", "+pthreads"),
        ("hdf5 +pt", None),
        ("hdf5 api=de", "hdf5 api=default"),
        ("hdf5@1.12.2 api=de", None),
        ("hdf5 api=d1", None),
        ("hdf5@1.12.2 %gccc os=ub", "hdf5@1.12.2 %gcc os=ubuntu20.04"),  # beside what is put right too
        ("target=zen33", "target=zen3"),  # but not with one that is typed twice
        ("target=zen34", None),
        ("hdf5@1.143", None),
        ("hdf5@1.14.33", None),
        ("hdf5@1.14.3w", None),
        ("%gcc@11.40", None),
        ("%gcc@1140", None),
        ("compiler=gcc@111.4.0", "compiler=gcc@11.4.0"),
        ("%gcc@111.4.0", "%gcc@11.4.0"),
        ("stak=e4s", "stack=e4s"),
        ("e4s", "stack=e4s"),
        ("hdf5 hots=e4x", None),
        ("rhel9", None),  # an os that is known, and not here
        ("hdf5os=rhel8", "hdf5 os=rhel8"),
        ("zlib hdf5os=rhel8", None),  # there is a name already
        ("/" + "z" * 31, None),  # another hash is another spec
        ("hdf5 os=rhel8", None),  # all of it is there, though not together
        ("zlib os=sles15 tag=develop", None),  # it is there in another tag
        ("zlib os=sles15 tag=develo", "zlib os=sles15 tag=develop"),
        ("os=ubunut22.04,rhel8", None),  # something is found
        ("os!=ubunut22.04", None),
        ("os!=ubunut22.04 %gccc", "%gcc os!=ubunut22.04"),
        ("%gccc stack=e4", "%gcc stack=e4s"),
        ("%gccc stack=nothinglikeit", None),
        ("hfd5 %gccc", "hdf5 %gcc"),
        ("stack=e4s-on", "stack=e4s-oneapi"),
        ("stack=ss", "stack=sstack"),
        ("ruby +pthr", "ruby +pthreads"),
        ("os=ubunt", None),  # two begin so
        ("%llvm17", None),
        ("%apple", "%apple-clang"),
        ("hdf5 %nosuch@1.14.3", None),  # it is no version behind a compiler that there is
        ("hdf5 %gcc@1.14.3", "hdf5@1.14.3 %gcc"),
        ("hdf5@1 %gcc@1.14.3", None),
        ("hfd5 stack=nothinglikeit", "hdf5 stack=nothinglikeit"),
        ("os=ubunut22.04,ubunut20.04", None),
        ("stack=stack", "stack=sstack"),  # the word in which it stands, not its key
        ("hdf5 stack=nosuch %gcc", None),
        ("fits=linux-rhle8-zen3", "fits=linux-rhel8-zen3"),  # though something may run on what nobody knows
        ("hdf5 fits=linux-rehl9-zen3 %gccc", "hdf5 %gcc fits=linux-rhel9-zen3"),
        ("fits=linux-rhel99-zen3", "fits=linux-rhel9-zen3"),
        ("fits=linux-rhel98-zen3", None),
        ("fits=linux-debain12-zen3", "fits=linux-debian12-zen3"),
        ("fits=linux-mint21-zen3", None),
        ("platform=linux os=rhel", None),  # which leaves all
        ("target=x86_64", None),  # a target by itself
        ("ruby link=stat", "ruby link=static"),
        ("ruby link:=stat", None),
        ("swig +thr", "swig +threads"),  # thread= has no sign
        ("ruby pthreads=sta", None),
        ("swig cuda_arch=90", None),  # another one
    ],
)
def test_what_nothing_has_is_put_right_where_it_is_clear_what_was_meant(
    index: Index, query: str, wanted: str | None
) -> None:
    found, mendings = mended(Results.of(index, Query.parse(query, fuzzy_name=True)))
    assert (str(found) if mendings else None) == wanted


def test_what_was_put_right_is_said_as_it_was_typed(index: Index) -> None:
    _, mendings = mended(Results.of(index, Query.parse("hfd5 %gccc +mpii", fuzzy_name=True)))
    assert [each.phrase for each in mendings] == [
        "hfd5: no package; hdf5 instead",
        "%gccc: no compiler; %gcc instead",
        "+mpii: no variant; +mpi instead",
    ]
