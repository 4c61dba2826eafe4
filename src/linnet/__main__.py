"""python -m linnet, and the program linnet: signals are watched before anything else is loaded."""

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
        from linnet.cli.main import main as program

        program()
    except SystemExit as ended:
        if ended.code == interruption.EXIT_CODE:
            interruption.end()
        raise
    finally:
        interruption.done()


if __name__ == "__main__":
    main()
