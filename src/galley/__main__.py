"""``python -m galley``."""

from galley.cli import main

if __name__ == "__main__":
    main()
