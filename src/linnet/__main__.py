"""python -m linnet, and the program linnet: signals are watched before anything else is loaded."""

from linnet.cli import interruption


def main() -> None:
    """Run the program."""
    with interruption.watched():
        try:
            from linnet.cli.main import main as program

            program()
        except interruption.Stopped:  # while the program was loaded
            interruption.end("stopped")
        except SystemExit as ended:
            if ended.code == interruption.EXIT_CODE:
                interruption.end()
            raise
        finally:
            interruption.done()


if __name__ == "__main__":
    main()
