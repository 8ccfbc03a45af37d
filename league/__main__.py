"""`python -m league` is the `league` command."""

from league.cli import main

if __name__ == "__main__":
    main()
