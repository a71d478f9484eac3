"""`python -m cachetui`."""

import sys

from cachetui.cli import main

if __name__ == "__main__":
    sys.exit(main())
