"""The browser. Only this package sees Textual and Rich.

The modules:

    app          the app: it hands each index that was read to the screens
    reading      the catalogue is read and compared in threads, which tell the app
    key_settings the keys that a user has chosen; a key is bound in its screen or widget
    screens      a file for each screen
    widgets      a file for each widget
    rows         what a list shows
    state        what is looked at, without any widget
    terminal     the terminal's life: its check before anything is drawn, signals, keys, the clipboard, themes
    wire         only the cells that changed are written
"""
