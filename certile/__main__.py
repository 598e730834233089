"""`python -m certile` is the program `certile`, for environments whose scripts are not on PATH."""

from certile.cli.main import main

if __name__ == "__main__":
    main()
