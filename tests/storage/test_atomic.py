"""A file is written whole or not at all."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from linnet.errors import LinnetError, OutputError
from linnet.storage import atomic as files
from linnet.storage.atomic import replacing

OLD = b"the old file\n" * 100
NEW = b"the new file\n" * 20_000  # more than the buffer holds


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(OLD)
    return path


def save(path, data=NEW):
    with replacing(path) as file:
        file.write(data)


def fail_after_writing(path, mode, exception):
    with replacing(path, mode) as file:
        file.write(NEW if mode == "wb" else NEW.decode())
        raise exception("mine")


def only(path):
    """Nothing lies beside the file."""
    return os.listdir(path.parent) == [path.name]


def test_the_new_file_takes_the_name_only_at_the_end(path):
    with replacing(path) as file:
        file.write(NEW)
        file.flush()
        assert path.read_bytes() == OLD
    assert path.read_bytes() == NEW
    assert only(path)


def test_text_is_utf8_with_newlines_as_given(tmp_path):
    with replacing(tmp_path / "out", "w") as file:
        file.write("é\n×\r\n")
    assert (tmp_path / "out").read_bytes() == "é\n×\r\n".encode()


@pytest.mark.parametrize("exception", [KeyError, KeyboardInterrupt, SystemExit, FileNotFoundError])
@pytest.mark.parametrize("mode", ["w", "wb"])
def test_an_exception_of_the_block_passes_unchanged_and_the_old_file_stays(path, exception, mode):
    with pytest.raises(exception) as caught:
        fail_after_writing(path, mode, exception)
    assert type(caught.value) is exception
    assert path.read_bytes() == OLD
    assert only(path)


class FailingFile(io.FileIO):
    """Takes a first part of what is written, then fails."""

    error: BaseException

    def write(self, data):
        if self.tell() > 0:
            raise self.error
        return super().write(memoryview(data)[:1000])


class FailingClose(io.FileIO):
    error: BaseException

    def close(self):
        first = not self.closed
        super().close()
        if first:
            raise self.error


def failing_at(monkeypatch, step, error):
    real = {name: getattr(os, name) for name in ("open", "fsync", "replace", "fchmod")}

    def fail(*_, **__):
        raise error

    def on(name, wrong):
        monkeypatch.setattr(files.os, name, lambda *a, **k: fail() if wrong(*a) else real[name](*a, **k))

    def is_directory(file, *_):
        return stat.S_ISDIR(os.fstat(file).st_mode)

    if step == "open":
        on("open", lambda name, *_: str(name).endswith(".tmp"))
    elif step == "open directory":
        on("open", lambda name, *_: os.path.isdir(name))
    elif step == "write":
        monkeypatch.setattr(FailingFile, "error", error, raising=False)
        monkeypatch.setattr(files.io, "FileIO", FailingFile)
    elif step == "close":
        monkeypatch.setattr(FailingClose, "error", error, raising=False)
        monkeypatch.setattr(files.io, "FileIO", FailingClose)
    elif step == "fsync":
        on("fsync", lambda file: not is_directory(file))
    elif step == "fsync directory":
        on("fsync", is_directory)
    else:
        on(step, lambda *_: True)


ERRORS = [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "Input/output error"),
          PermissionError(errno.EACCES, "Permission denied"), KeyboardInterrupt(), MemoryError()]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("size", [1500, len(NEW)])
@pytest.mark.parametrize("mode", ["w", "wb"])
@pytest.mark.parametrize("step", ["open", "open directory", "fchmod", "write", "close", "fsync", "replace"])
def test_whatever_fails_the_old_file_stays(path, monkeypatch, step, error, size, mode):
    failing_at(monkeypatch, step, error)
    gc.collect()  # files that earlier tests left to the collector must not be closed in between
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else None
    expected = OutputError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected) as caught, replacing(path, mode) as file:
        file.write(NEW[:size] if mode == "wb" else NEW[:size].decode())
    monkeypatch.undo()
    assert path.read_bytes() == OLD
    assert only(path)
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) == before
    if expected is OutputError:
        assert isinstance(caught.value, LinnetError)
        assert caught.value.errno == error.errno
        assert str(path) in str(caught.value)
        assert error.strerror.lower() in str(caught.value)
        assert ";" in str(caught.value)


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_if_only_the_directory_fails_the_new_file_is_in_place_and_whole(path, monkeypatch, error):
    """The name is taken by then. What is lost is the promise that it outlives a power cut, and the error says so."""
    failing_at(monkeypatch, "fsync directory", error)
    with pytest.raises(OutputError if isinstance(error, OSError) else type(error)) as caught:
        save(path)
    assert path.read_bytes() == NEW
    assert only(path)
    if isinstance(error, OSError):
        assert "the new file is in place" in str(caught.value)


def test_a_file_system_that_cannot_sync_directories_is_no_error(path, monkeypatch):
    failing_at(monkeypatch, "fsync directory", OSError(errno.EINVAL, "Invalid argument"))
    save(path)
    assert path.read_bytes() == NEW


def test_a_failure_that_the_block_swallows_is_still_raised(path, monkeypatch):
    failing_at(monkeypatch, "write", OSError(errno.ENOSPC, "No space left on device"))

    def save_regardless():
        with replacing(path) as file:
            with suppress(OSError):
                file.write(NEW)
            file.write(NEW)

    with pytest.raises(OutputError, match="no space"):
        save_regardless()
    assert path.read_bytes() == OLD
    assert only(path)


def test_bytes_reach_the_disk_before_the_name_and_the_name_before_the_end(path, monkeypatch):
    done = []
    real_sync, real_replace = os.fsync, os.replace

    def fsync(file):
        done.append("directory" if stat.S_ISDIR(os.fstat(file).st_mode) else os.fstat(file).st_size)
        real_sync(file)

    monkeypatch.setattr(files.os, "fsync", fsync)
    monkeypatch.setattr(files.os, "replace", lambda *names: (done.append("name"), real_replace(*names)))
    save(path)
    assert done == [len(NEW), "name", "directory"]


@pytest.mark.parametrize(
    ("name", "remedy"), [("none/model", "make the directory first"), ("file/model", "where a directory must be"),
                         ("folder", "give the name of a file in it"), ("x" * 300, "write elsewhere"),
                         ("a\0b", "null"), ("loop", "remove the link"),
                         ("new/", "give the name of a file in it")]
)  # fmt: skip
def test_a_path_that_cannot_be_written_is_refused_with_a_remedy(tmp_path, name, remedy):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match=remedy) as caught:
        save(f"{tmp_path}/{name}")
    assert name in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "loop"]


def test_a_new_file_has_the_permissions_the_umask_gives(tmp_path):
    before = os.umask(0o027)
    try:
        save(tmp_path / "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o755])
def test_a_replaced_file_keeps_its_permissions(path, mode):
    path.chmod(mode)
    save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_private_file_is_private_from_the_moment_it_is_made(path, monkeypatch):
    path.chmod(0o600)
    modes = []
    real = os.open

    def spy(name, flags, mode=0o777):
        if str(name).endswith(".tmp"):
            modes.append(mode)
        return real(name, flags, mode)

    monkeypatch.setattr(files.os, "open", spy)
    save(path)
    assert modes == [0o600]


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_a_replaced_file_keeps_its_owner(path):
    os.chown(path, 12, 34)
    save(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12, 34)


def test_another_group_does_not_get_the_old_groups_rights(path, monkeypatch):
    path.chmod(0o660)
    old = os.stat_result([*path.stat()[:5], path.stat().st_gid + 1, *path.stat()[6:]])
    monkeypatch.setattr(files, "_stat", lambda _: old)

    def fchown(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(files.os, "fchown", fchown)
    save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_may_not_be_written_is_not_replaced(path, monkeypatch):
    path.chmod(0o444)
    monkeypatch.setattr(files.os, "access", lambda *_: False)  # root may do everything
    with pytest.raises(OutputError, match="change the permissions"):
        save(path)
    assert path.read_bytes() == OLD


def test_nothing_is_written_through_a_symbolic_link(path):
    (path.parent / "link").symlink_to("model")
    (path.parent / "dangling").symlink_to("fresh")
    for name in ("link", "dangling"):
        with pytest.raises(OutputError, match=f"{name}: it is a symbolic link to .*; name the file itself"):
            save(path.parent / name)
    assert path.read_bytes() == OLD
    assert sorted(os.listdir(path.parent)) == ["dangling", "link", "model"]


def test_a_folder_may_be_a_symbolic_link(path):
    (path.parent / "real").mkdir()
    (path.parent / "folder").symlink_to("real")
    save(path.parent / "folder" / "model")
    assert (path.parent / "real" / "model").read_bytes() == NEW


def test_a_pipe_is_written_directly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    save(tmp_path / "pipe")
    reader.join()
    assert got == [NEW]
    assert only(tmp_path / "pipe")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("data", [b"x", NEW])
def test_a_full_device_is_an_error(data):
    with pytest.raises(OutputError, match="free some space") as caught:
        save("/dev/full", data)
    assert caught.value.errno == errno.ENOSPC


def test_a_real_limit_on_file_sizes_is_an_error(path):
    code = (
        "import resource, sys; from linnet.storage.atomic import replacing\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "with replacing(sys.argv[1]) as file: file.write(b'x' * 200_000)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert "OutputError: cannot write" in done.stderr
    assert path.read_bytes() == OLD
    assert only(path)


BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
WRITER = """
import sys; from linnet.storage.atomic import replacing
print("first")
with replacing(sys.argv[1], "w") as file: file.write("zweite é\\n")
print("third", flush=True)
"""


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_added_to_also_where_it_is_a_file(tmp_path, name):
    if name.startswith("/proc") and sys.platform != "linux":
        pytest.skip("no /proc")
    log = tmp_path / "log"
    log.write_text("zeroth\n")
    with log.open("a") as stream:
        subprocess.run([sys.executable, "-c", WRITER, name], stdout=stream, check=True, env=BUFFERED)
    assert log.read_text() == "zeroth\nfirst\nzweite é\nthird\n"
    assert only(log)


def test_a_file_that_is_open_already_is_added_to(path):
    with path.open("ab") as stream:
        save(f"/dev/fd/{stream.fileno()}")
    assert path.read_bytes() == OLD + NEW
    assert only(path)


def test_standard_output_is_what_sys_says(capsys):
    with replacing("-", "w") as file:
        file.write("here\n")
    print("there")
    assert capsys.readouterr().out == "here\nthere\n"


def test_what_was_written_directly_before_an_exception_is_delivered(capsys):
    with pytest.raises(KeyError):
        fail_after_writing("-", "w", KeyError)
    assert capsys.readouterr().out == NEW.decode()


KILLED = """
import sys; from linnet.storage.atomic import replacing
for i in range(10**9):
    with replacing(sys.argv[1]) as file:
        for _ in range(64): file.write(bytes([i % 256]) * 5000)
    if i == 3: print("writing", flush=True)
"""


HALF = """
import sys, time; from linnet.storage.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half"); file.flush(); print("writing", flush=True); time.sleep(60)
"""


def test_a_kill_halfway_leaves_the_old_file(path):
    with subprocess.Popen([sys.executable, "-c", HALF, path], stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"writing\n"
        writer.kill()
    assert path.read_bytes() == OLD


def test_a_kill_at_any_time_leaves_a_whole_file(path):
    for delay in [0.0, 0.001, 0.003, 0.01, 0.017, 0.03]:
        writer = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE)
        try:
            assert writer.stdout.readline() == b"writing\n"
            time.sleep(delay)
        finally:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            writer.stdout.close()
        data = path.read_bytes()
        assert len(data) == 64 * 5000
        assert len(set(data)) == 1
        strays = [name for name in os.listdir(path.parent) if name != path.name]
        assert len(strays) <= 1
        for stray in strays:
            assert stray.startswith(".linnet-")
            (path.parent / stray).unlink()
