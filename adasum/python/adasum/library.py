# SPDX-License-Identifier: Apache-2.0
"""libadasum.so, by ctypes: adasum.h has the functions and what they promise."""
import ctypes
import os
import socket
import weakref
from typing import Any, NamedTuple, NoReturn, Optional, Sequence, Tuple

from adasum.location import LIBRARY

FLOAT32, FLOAT64, FLOAT16, BFLOAT16 = range(4)

_SECRET_SIZE = 65
_NOT_FINITE, _DIFFER, _WORLD, _MEMBERS_CHANGED = 1, 2, 3, 5


class Error(RuntimeError):
    """Why a call failed, in a line that names the rank: it has ended, or passed other tensors."""


class NotFinite(Error):
    """A rank has NaN or an infinity. The tensors of all ranks are as they were."""


class Refused(Error):
    """The ranks' tensors, types or options differ, or AdaSum does not take them. On all ranks, before anything was changed."""


class MembersChanged(Error):
    """Some ranks have ended or come. The world is now that of those that are there; what the call was to write is undefined."""


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("count", ctypes.c_int64)]


class _Options(ctypes.Structure):
    _fields_ = [("group_size", ctypes.c_int), ("algorithm", ctypes.c_int), ("any_world", ctypes.c_int)]


class Root(NamedTuple):
    """Where rank 0 listens, for the other ranks. The secret must reach them by a way that others cannot read."""
    host: str
    port: int
    secret: str


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(os.environ.get("ADASUM_LIBRARY") or LIBRARY)
    except OSError as error:
        raise ImportError(f"{error} (is libadasum installed? ADASUM_LIBRARY may name its file)") from None
    library.adasum_last_error.restype = ctypes.c_char_p
    pointer, number, integer = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    library.adasum_world_join.argtypes = library.adasum_world_join_elastic.argtypes = [ctypes.POINTER(pointer)]
    library.adasum_world_listen.argtypes = [ctypes.c_char_p, ctypes.POINTER(integer), ctypes.c_char_p, ctypes.POINTER(pointer)]
    library.adasum_world_connect.argtypes = [integer, integer, ctypes.c_char_p, integer, ctypes.c_char_p, pointer,
                                             ctypes.POINTER(pointer)]
    for ends in (library.adasum_root_free, library.adasum_world_free, library.adasum_world_give_up):
        ends.argtypes, ends.restype = [pointer], None
    for number_of in (library.adasum_world_rank, library.adasum_world_size, library.adasum_world_oldest):
        number_of.argtypes = [pointer]
    library.adasum_allreduce.argtypes = [ctypes.POINTER(_Tensor), number, integer, pointer, ctypes.POINTER(_Options)]
    library.adasum_broadcast.argtypes = [pointer, number, integer, pointer]
    library.adasum_world_alloc.argtypes = [number, pointer, ctypes.POINTER(pointer)]
    return library


_library = _load()


def _check(status: int) -> None:
    if status != 0:
        kinds = {_NOT_FINITE: NotFinite, _DIFFER: Refused, _WORLD: Refused, _MEMBERS_CHANGED: MembersChanged}
        raise kinds.get(status, Error)(_library.adasum_last_error().decode(errors="replace"))


# At the end of an object. What a forked child has inherited is its parent's.
def _free(function: Any, handle: ctypes.c_void_p, owner: int) -> None:
    if os.getpid() == owner:
        function(handle)


class Listener:
    """Rank 0 listens, before the others know where: at a free port of `host`, a name or an address of this machine.

    An empty host is all addresses of this machine. told: by which name or address the others reach it; by default `host`, or the
    name of this machine.
    """

    def __init__(self, host: str, told: Optional[str] = None) -> None:
        port, secret, self._root = ctypes.c_int(), ctypes.create_string_buffer(_SECRET_SIZE), ctypes.c_void_p()
        _check(_library.adasum_world_listen(host.encode(), ctypes.byref(port), secret, ctypes.byref(self._root)))
        self._end = weakref.finalize(self, _free, _library.adasum_root_free, self._root, os.getpid())
        self.root = Root(told or host or socket.gethostname(), port.value, secret.value.decode())

    def take(self) -> ctypes.c_void_p:
        """What World.connect() uses up. Once."""
        if not self._end.detach():
            raise Error("this listener has been used")
        return self._root


class World:
    """The ranks of a job, connected by TCP. One thread at a time. Every wait has a deadline."""

    def __init__(self, world: ctypes.c_void_p) -> None:
        self._world = world
        self._end = weakref.finalize(self, _free, _library.adasum_world_free, world, os.getpid())

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Of copy and pickle: the connections are those of all ranks."""
        raise TypeError("an adasum World cannot be copied or saved: connect another on all ranks")

    @property
    def _open(self) -> ctypes.c_void_p:
        if not self._end.alive:
            raise Error("this world is closed")
        return self._world

    @property
    def rank(self) -> int:
        return int(_library.adasum_world_rank(self._open))

    @property
    def size(self) -> int:
        return int(_library.adasum_world_size(self._open))

    @property
    def oldest(self) -> int:
        """The rank that has been there for longest, if the members may change: the others may take its state."""
        return int(_library.adasum_world_oldest(self._open))

    @classmethod
    def join(cls, elastic: bool = False) -> "World":
        """The ranks that the environment names: those of adarun launch, else MASTER_ADDR and its like with ADASUM_SECRET.

        elastic: under adarun launch --min-ranks N, when some ranks end or are started again, a call raises MembersChanged on
        those that are there, some of which may have completed it before and notice at the next one. They then agree on a state
        (broadcast() from the oldest), and continue. So does each rank at its start: it may have been started again, or another may
        have ended meanwhile, which others may have been told already.

        Collective. Raises Error if they do not meet in a minute; under adarun launch that begins when all have come here, for
        which they wait half an hour.
        """
        world = ctypes.c_void_p()
        _check((_library.adasum_world_join_elastic if elastic else _library.adasum_world_join)(ctypes.byref(world)))
        return cls(world)

    @classmethod
    def connect(cls, rank: int, size: int, root: Root, listener: Optional[Listener] = None) -> "World":
        """The same for ranks that know where rank 0 listens; `listener` is rank 0's."""
        world = ctypes.c_void_p()
        _check(_library.adasum_world_connect(rank, size, root.host.encode(), root.port, root.secret.encode(),
                                             listener.take() if listener else None, ctypes.byref(world)))
        return cls(world)

    def allreduce(self, tensors: Sequence[Tuple[int, int]], dtype: int, group_size: int = 1, any_world: bool = False) -> None:
        """Combines tensors, (address, number of elements) each, by AdaSum, in place. Collective.

        group_size: so many neighbours are averaged first. any_world: also takes numbers of groups that are no power of two.
        Raises NotFinite on all ranks if one has NaN or an infinity, Refused, and Error.
        """
        listed = (_Tensor * len(tensors))(*tensors)
        options = _Options(group_size, 0, int(any_world))
        _check(_library.adasum_allreduce(listed, len(tensors), dtype, self._open, ctypes.byref(options)))

    def broadcast(self, address: int, size_bytes: int, root: int = 0) -> None:
        """Copies bytes of rank `root` to all ranks. Collective."""
        _check(_library.adasum_broadcast(address, size_bytes, root, self._open))

    def allocate(self, size_bytes: int) -> int:
        """The address of memory from which the ranks of a node combine without a copy; zeroed. It lasts as long as the world.

        Collective.
        """
        memory = ctypes.c_void_p()
        _check(_library.adasum_world_alloc(size_bytes, self._open, ctypes.byref(memory)))
        return memory.value or 0

    def give_up(self) -> None:
        """Tells the other ranks that this one makes no further call: theirs raise Error, which names it. Not collective."""
        _library.adasum_world_give_up(self._open)

    def close(self) -> None:
        """Ends the connections; later calls raise Error. Also done when the interpreter exits."""
        self._end()
