"""`config`: print each setting with its present value and its source, and the errors in the config file."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Struct

from cachetui.cli.options import FormatName, Option, Options, UsageError
from cachetui.cli.output import FOUND, NOTHING, note, print_document
from cachetui.report.formats import ListDocument, TableBlock, cell_text
from cachetui.settings.settings import DEFAULT_COLUMNS, VARIABLES, Settings


class ConfigOptions(Options, frozen=True, kw_only=True):
    format: FormatName = "table"
    keys: Annotated[bool, Option("list the keys of the browser and their names in the config file")] = False


HELP = """\
The keys of config.toml, in the folder that `cachetui config` prints:

    content = "~/content"            # CONTENT if the command line has none
    host = "linux-rhel9-zen4"        # the host that the key H and --fits use
    mirror = "https://mirror/{tag}"  # for install commands; {stack} works too
    history = "/data/history"        # the folder of the snapshots
    days = true                      # include snapshots as tags (--history)
    record = true                    # save each new state that a server sends
    realms = ["auth.example.org"]    # send passwords to these token servers
    theme = "cachetui-dark"          # `cachetui help browser` lists the themes
    columns = ["hash", "version"]    # the columns of the spec list
    [keys]
    browse.filter = ["/", "ctrl+o"]  # `cachetui config --keys` lists the names
"""


class Setting(Struct, frozen=True):
    """A setting, its present value, and the source of the value."""

    setting: str
    value: str
    """The value; empty if the default is not a value but a behaviour. `text` describes this behaviour."""
    origin: Literal["default", "file", "environment"]
    source: str = ""
    """The file or the variable that contains the value; empty if the value is the default."""
    text: str = ""


class KeyRow(Struct, frozen=True):
    """An action of the browser, and its keys."""

    id: str
    keys: tuple[str, ...]
    text: str
    """The description of the action."""


DOCUMENT = (list[Setting], list[KeyRow])


def run(options: ConfigOptions) -> int:
    """Print the settings with their present values. The status is 1 if the config file has an error."""
    if options.words:
        raise UsageError(f"config takes no arguments: leave out {options.words[0]}")
    settings = options.settings
    config = settings.config
    mistakes: list[str] = []
    theme, keys = config.theme, {name: ",".join(keys) for name, keys in config.keys.items()}
    if config.keys or config.theme or options.keys:
        # late, because themes and keys belong to the browser, which other commands do not import
        from cachetui.tui.keymap import changed_keys
        from cachetui.tui.theme import checked_theme

        theme, wrong = checked_theme(config)
        keys, unfit = changed_keys(config)
        mistakes += [*wrong, *unfit]
    print_document(_key_list(keys) if options.keys else _setting_list(_settings(settings, theme, keys)), options)
    for each in mistakes:
        note(f"{settings.config_path}: {each}")
    return NOTHING if mistakes else FOUND


def _setting_list(settings: Iterator[Setting]) -> ListDocument:
    found = list(settings)
    rows = ([each.setting, each.text or each.value, each.source or each.origin] for each in found)
    table = TableBlock(("setting", "value", "from"), rows, shrinking=(1,))
    return ListDocument(found, Setting.__struct_fields__, shown=lambda width: [table])


def _settings(settings: Settings, theme: str | None, keys: Mapping[str, str]) -> Iterator[Setting]:
    """Yield every setting. The environment overrides the config file, and the file overrides the default."""
    config, here = settings.config, "" if settings.value("host") else settings.host().name
    for name, value, default, text in (
        ("content", config.content, "", "the built-in sample (in the browser only)"),
        ("host", config.host, here, f"{here} (this machine)"),
        (
            "mirror",
            config.mirror,
            "",
            "the mirror that the content records; without one, https://binaries.spack.io/...",
        ),
        ("history", config.history, settings.history_folder, ""),
        *((name, "true" if getattr(config, name) else "", "false", "") for name in ("days", "record")),
        ("realms", " ".join(config.realms), "", ""),
        ("theme", theme, "", "the theme that fits the background of the terminal"),
        ("columns", " ".join(config.columns or ()), " ".join(DEFAULT_COLUMNS), ""),
        *((f"keys.{name}", words.replace(",", " "), "", "") for name, words in keys.items()),
    ):
        variable = VARIABLES.get(name, "")
        if found := settings.environ.get(variable):
            yield Setting(name, found, "environment", variable)
        elif value:
            yield Setting(name, value, "file", "config.toml")
        else:
            yield Setting(name, default, "default", "", text)
    if not keys:
        yield Setting("keys", "", "default", "", "cachetui config --keys lists them")
    for name, path, variable in (
        ("config file", settings.config_path, "XDG_CONFIG_HOME"),
        ("saved views", str(settings.views_folder), "XDG_CONFIG_HOME"),
        ("index caches", settings.cache_folder, "CACHETUI_CACHE_DIR"),
    ):
        is_set = bool(settings.environ.get(variable))
        yield Setting(name, path, "environment" if is_set else "default", variable if is_set else "")


def _key_list(keys: Mapping[str, str]) -> ListDocument:
    """Return the list of the browser's actions and their keys. `keys`: the keys in the config file, by action.

    A table cell has spaces between the keys, not commas, because a comma may be a key.
    """
    from cachetui.tui.keymap import ALL_KEYS, key_text

    def spelled(name: str, own: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys of an action as written in the config file: characters or names of keys."""
        return tuple(
            sign if len(sign := key_text(each)) == 1 else each
            for each in (keys[name].split(",") if name in keys else own)
        )

    rows = [
        KeyRow(each.id, spelled(each.id, tuple(each.keys.split(","))), each.description or each.label)
        for each in ALL_KEYS.values()
    ]
    return ListDocument(rows, KeyRow.__struct_fields__, shrinking=(2,), cell=lambda value: cell_text(value, " "))
