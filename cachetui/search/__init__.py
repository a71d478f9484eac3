"""Which rows a query takes."""
