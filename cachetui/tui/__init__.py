"""The browser. Only this package sees Textual and Rich."""
