"""The browser. Only this package imports Textual and Rich."""
