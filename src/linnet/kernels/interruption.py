"""The end of a process that was asked to stop, whatever it is doing.

Python runs signal handlers between two instructions of the main thread, and no thread runs while a library holds the
interpreter: a factorisation of a large matrix may take minutes.  So `watch`, in a thread that does not need the
interpreter, reads the signals that Python writes to a pipe as they arrive (signal.set_wakeup_fd).  If a first signal
has not ended the process in time, or at a second one, it removes unfinished temporary files, prints the last words,
and ends the process.
"""

import cython
from cython.cimports.linnet.kernels.interruption import asked, drop, guard, held, note, say


def watch(file: cython.int, patience: cython.int, code: cython.int):
    """Wait for SIGINT or SIGTERM; `patience` is in milliseconds, `code` the exit code.  A byte 0 ends the watch."""
    with cython.nogil:
        guard(file, patience, code)


def was_asked():
    """Whether a signal has arrived."""
    return asked != 0


def restart():
    """Forget signals of an earlier watch."""
    global asked, held
    asked = 0
    held = 0


def hold(change: cython.int):
    """1: what is under way is to be completed, however long it takes, unless a second signal comes.  -1: it is."""
    global held
    held += change


def last_words(words: bytes):
    """What is printed to standard error when the process is ended from here."""
    say(words, len(words))


def remove_at_end(path: bytes):
    """A file to be removed when the process is ended from here."""
    note(path, len(path))


def keep(path: bytes):
    """Not to be removed, or not there any more."""
    drop(path)
