"""python -m linnet, and the program linnet: signals are watched before anything else is loaded."""

import gc
from collections.abc import Callable

from linnet.cli import interruption


def main() -> None:
    """Run the program."""
    try:
        with interruption.watched():
            _run()
    except interruption.Stopped:  # while the program was loaded, or as it began or ended
        interruption.end("stopped")


def _run() -> None:
    try:
        program = _loaded()
        program()
    except SystemExit as ended:
        if ended.code == interruption.EXIT_CODE:
            interruption.end()
        raise
    finally:
        interruption.done()


def _loaded() -> Callable[[], None]:
    """The program.  Nothing that is loaded here is ever garbage: to look for some would take a tenth of the time."""
    gc.disable()
    try:
        from linnet.cli.main import main as program
    finally:
        gc.freeze()
        gc.enable()
    return program


if __name__ == "__main__":
    main()
