"""python -m linnet: the program."""

from linnet.cli.main import main

main()
