# SPDX-License-Identifier: Apache-2.0
"""AdaSum for PyTorch's DistributedDataParallel, in two lines:

    import adasum.torch as ada
    ddp.register_comm_hook(None, ada.hook)

The gradients of all ranks are then combined by AdaSum instead of their mean, each parameter by itself, while the backward pass
continues. Paper: Maleki et al., "Scaling Distributed Training with Adaptive Summation", 2020 (arXiv 2006.02924).
"""
import concurrent.futures
import contextlib
import ctypes
import ipaddress
import os
import socket
import threading
from typing import Any, Callable, Iterable, Iterator, List, NoReturn, Optional, Sequence, Tuple, Union

import torch
import torch.distributed as dist

from adasum import values
from adasum.accumulation import CombinedGradients
from adasum.host_copy import HostCopy
from adasum.library import FLOAT32, Error, Listener, MembersChanged, NotFinite, Refused, World
from adasum.tensors import alike, checked, flat_on_gpu, is_finite

__all__ = ["Error", "MembersChanged", "NotFinite", "Optimizer", "Refused", "State", "hook"]

_INVALID = (0, 1)  # no memory for one element: refused on all ranks


class State:
    """The ranks of a process group, connected with one another, and a thread that combines their tensors.

    Ranks find each other by adarun launch, else by the process group, which must work already
    (torch.distributed.init_process_group). Collective.

    group        the default is all ranks
    group_size   so many neighbours are averaged first; none with `elastic` where they do not divide the number of ranks
    any_world    also takes numbers of ranks (or of groups) that are not a power of two
    spread_nan   a NaN or infinity of one rank becomes NaN on all ranks, as with a mean, for a GradScaler to skip the step
                 on all of them; without it NotFinite is raised
    elastic      under adarun launch --min-ranks N, without a process group and without a hook: when ranks end or come back, a
                 call raises MembersChanged on those that are there, some of which may have completed the call before. They then
                 share() what they continue from, and so does each rank at its start. empty() is refused

    NotFinite, Refused and MembersChanged are raised on all ranks alike, which may continue. After any other error, ranks may have
    made different calls, and each later one raises the same at once; those of the other ranks then raise an Error, too.

    Raises Error if the ranks cannot connect in a minute after all have come here.
    """

    def __init__(self, group: Optional[dist.ProcessGroup] = None, *, group_size: int = 1, any_world: bool = False,
                 spread_nan: bool = False, elastic: bool = False) -> None:
        self.group_size = group_size
        self.any_world = any_world
        self.spread_nan = spread_nan
        self.elastic = elastic
        self._world = _elastic_world(group) if elastic else _world_of(group)
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "adasum")  # the only one that uses the world and what follows
        self._combined = CombinedGradients()
        self._failure: Optional[str] = None
        self._backward_error: Optional[Exception] = None  # the first one, until the end of the backward pass

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Of copy and pickle: the connections are those of all ranks."""
        raise TypeError("an adasum.torch.State cannot be copied or saved: make another on all ranks")

    rank = property(lambda self: self._world.rank)  # of size ranks, as of the last call
    size = property(lambda self: self._world.size)

    def combine(self, tensors: Sequence[torch.Tensor]) -> None:
        """AdaSum of a list of tensors over all ranks, in place: contiguous, of one type, on one device. Collective."""
        try:
            flat = flat_on_gpu(tensors)
        except Refused as refused:
            self._thread.submit(self._call, self._refuse, refused).result()
            raise
        if flat is None:
            self._thread.submit(self._call, self._combine, tensors).result()
            return
        parts = flat.split([tensor.numel() for tensor in tensors])
        self._thread.submit(self._call, self._combine, parts, flat, _event(flat)).result()
        with self._telling_others():
            for tensor, part in zip(tensors, parts):
                tensor.detach().copy_(part.view_as(tensor))

    def broadcast(self, tensors: Iterable[torch.Tensor], root: int = 0) -> None:
        """Copies tensors of rank `root` to all ranks. Collective."""
        with self._telling_others():
            targets = [tensor.detach() for tensor in tensors]
            copies = [target.cpu().contiguous() for target in targets]
        self._thread.submit(self._call, self._broadcast, copies, root).result()
        with self._telling_others():
            for target, copy in zip(targets, copies):
                if copy is not target:
                    target.copy_(copy)

    def share(self, value: Any) -> Any:
        """What the rank that has been there for longest passes: state_dict()s and the like. Collective.

        It is made of dense tensors, numbers, texts, bytes, None, types and devices of torch, and lists, tuples, sets and dicts of
        these. The others get its tensors, also parameters, as plain ones in memory of the CPU. What arrives names nothing to run.
        """
        # The thread would not wait for what the caller has told a GPU to compute.
        sent = _described(value) if self._world.rank == self._world.oldest else None
        return self._thread.submit(self._call, self._share, value, sent).result()

    def empty(self, elements: int, dtype: torch.dtype) -> torch.Tensor:
        """A tensor in memory from which the ranks of a node combine without a copy. Collective. Not with `elastic`."""
        if self.elastic:
            raise Error("State(elastic=True) has no memory of its own: its ranks may change")
        none = torch.empty(0, dtype=dtype, device="cpu")
        size = elements * none.element_size()
        address = self._thread.submit(self._call, self._world.allocate, size).result()
        if elements == 0:
            return none
        memory = (ctypes.c_char * size).from_address(address)
        memory.world = self._world  # It lasts as long as its world.
        return torch.frombuffer(memory, dtype=dtype)

    def combine_bucket(self, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        """Has the gradients of a bucket combined by the thread; the future is its buffer.

        Of gradients to which this backward pass has added, what was combined before stays as it is, and the rest is combined.

        The first error of a backward pass is raised at its end, after DistributedDataParallel has ended it as any other one.
        The gradients are then undefined: those of some buckets are combined. Outside a backward pass, the last bucket's future
        raises it.
        """
        if self.elastic:
            raise Error("State(elastic=True) cannot be used with a hook: call combine() with the gradients")
        buffer, is_last = bucket.buffer(), bucket.is_last()
        earlier = self._taken_out(bucket)
        ready = _event(buffer) if buffer.is_cuda else None
        raised_at_end = self._raise_at_end_of_backward()
        combined: torch.futures.Future[None] = torch.futures.Future(devices=[buffer.device] if ready else None)
        gradients = bucket.gradients() or [buffer]  # Of sparse gradients DistributedDataParallel lists none.

        def run() -> None:
            try:
                self._call(self._combine, gradients, buffer, ready)
            except NotFinite as found:
                self._backward_error = self._backward_error or NotFinite(f"{found} (with a GradScaler: State(spread_nan=True))")
            except Exception as found:  # pylint: disable=broad-except
                self._backward_error = self._backward_error or found
            combined.set_result(None)

        def result(ended: torch.futures.Future[None]) -> torch.Tensor:
            ended.value()
            for gradient, part in earlier:
                gradient.add_(part)
                if part.is_cuda:
                    part.record_stream(torch.cuda.current_stream(part.device))
            if is_last and not raised_at_end:
                self._raise_backward_error()
            return buffer

        self._thread.submit(run)
        return combined.then(result)

    def _taken_out(self, bucket: dist.GradBucket) -> List[Tuple[torch.Tensor, torch.Tensor]]:
        """The gradients of a bucket some of which is combined already, and that part, which they then lack."""
        parts = [(gradient, self._combined.take(parameter, gradient))
                 for parameter, gradient in zip(bucket.parameters(), bucket.gradients())]
        earlier = [(gradient, part) for gradient, part in parts if part is not None]
        for gradient, part in earlier:
            gradient.sub_(part)
        return earlier

    def _raise_at_end_of_backward(self) -> bool:
        """Whether this is within a backward pass, at whose end an error is then raised.

        DistributedDataParallel queues its own end behind the last bucket of a module; what a callback queues comes behind those
        of all modules. Each bucket asks for it, since the last one may not be combined.
        """
        engine = torch.autograd.Variable._execution_engine  # type: ignore[attr-defined]
        try:
            engine.queue_callback(lambda: engine.queue_callback(self._raise_backward_error))
        except RuntimeError:
            return False
        return True

    def _raise_backward_error(self) -> None:
        error, self._backward_error = self._backward_error, None
        if error is not None:
            raise error

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._failure is not None:
            raise Error(self._failure)
        try:
            return function(*arguments)
        except (MembersChanged, NotFinite, Refused):
            raise
        except Exception as error:
            self._failure = str(error)
            if not isinstance(error, Error):  # Of an Error the other ranks know.
                self._world.give_up()
            raise

    @contextlib.contextmanager
    def _telling_others(self) -> Iterator[None]:
        """For what only this rank does: the others hear of its error."""
        try:
            yield
        except Exception as error:
            self._thread.submit(self._call, _fail, error).result()
            raise

    # `whole`: what the tensors are parts of, if they are on a GPU, where they are computed before `ready`.
    def _combine(self, tensors: Sequence[torch.Tensor], whole: Optional[torch.Tensor] = None,
                 ready: Optional[torch.cuda.Event] = None) -> None:
        try:
            dtype = checked(tensors)
            copy = _host_copy(whole, ready)
        except Refused as refused:
            self._refuse(refused)
        parts = copy.of(tensors) if copy else tensors
        places = [(part.data_ptr(), part.numel()) for part in parts]
        try:
            self._allreduce(places, dtype)
        except NotFinite:
            if not self.spread_nan:
                raise
            for part in parts:
                part.detach().fill_(float("nan"))
        if copy:
            copy.write_back()

    # The other ranks are refused as well, so that they do not wait for this one.
    def _refuse(self, refused: Refused) -> NoReturn:
        with contextlib.suppress(Refused):
            self._allreduce([_INVALID], FLOAT32)
        raise refused

    def _allreduce(self, places: Sequence[Tuple[int, int]], dtype: int) -> None:
        alone = self.elastic and self.group_size > 1 and self._world.size % self.group_size != 0
        self._world.allreduce(places, dtype, 1 if alone else self.group_size, self.any_world)

    def _broadcast(self, tensors: Sequence[torch.Tensor], root: int) -> None:
        for tensor in tensors:
            self._world.broadcast(tensor.data_ptr(), tensor.numel() * tensor.element_size(), root)

    # `sent`: on the rank whose value it is, what describes it, or why nothing does.
    def _share(self, value: Any, sent: Union[Tuple[bytes, List[torch.Tensor]], Exception, None]) -> Any:
        root = self._world.oldest
        text, tensors = sent if isinstance(sent, tuple) else (b"", [])
        size = ctypes.c_int64(len(text) or -1)
        self._world.broadcast(ctypes.addressof(size), ctypes.sizeof(size), root)
        if size.value < 0:
            failure = sent if isinstance(sent, Exception) else None
            raise Error(f"share(): rank {root} could not send its value: {failure or 'its own error says why'}") from failure
        memory = ctypes.create_string_buffer(text, size.value)
        self._world.broadcast(ctypes.addressof(memory), size.value, root)
        if self._world.rank == root:
            self._broadcast(tensors, root)
            return value
        tensors = values.tensors_for(memory.raw)
        self._broadcast(tensors, root)
        return values.built(memory.raw, tensors)


_default: Optional[State] = None
_default_made = threading.Lock()  # Modules on different devices have a thread each.


def hook(state: Optional[State], bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    """For DistributedDataParallel.register_comm_hook(state, hook). Without a State: all ranks, no groups.

    NaN or an infinity of one rank is a NotFinite at the end of the backward pass of all ranks. The gradients are then
    undefined: zero_grad(), and continue. Modules on different devices need a State each.
    """
    return (state or _default_state()).combine_bucket(bucket)


class Optimizer(torch.optim.Optimizer):
    """AdaSum of what a step changes, instead of gradients ("delta"), for a model that is not in DistributedDataParallel.

    Each rank steps `optimizer` by its own gradients; then the changes of the parameters of all ranks are combined, each
    parameter by itself. The optimizer's memory (momentum and its like) is each rank's own, so that a checkpoint needs that of
    every rank. The parameters of rank 0 are copied to all ranks at the start.

        optimizer = ada.Optimizer(torch.optim.Adam(model.parameters(), lr=1e-3))

    It is used as the optimizer that it wraps, also by learning rate schedulers. All ranks step together, so none may skip a step,
    as a GradScaler does, and a state with spread_nan is refused.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, state: Optional[State] = None) -> None:  # pylint: disable=super-init-not-called
        self.optimizer = optimizer
        self._adasum = state or _default_state()
        if self._adasum.elastic:
            raise Error("State(elastic=True) is for gradients: what ranks step by themselves is lost when they end")
        if self._adasum.spread_nan:
            raise Error("State(spread_nan=True) is for gradients: an Optimizer raises NotFinite")
        self._parameters: List[torch.Tensor] = []
        self._starts: List[torch.Tensor] = []
        self._deltas: List[_Deltas] = []
        self._finite = self._adasum.empty(1, torch.float32)
        self._prepare()

    param_groups = property(lambda self: self.optimizer.param_groups)
    state = property(lambda self: self.optimizer.state)
    defaults = property(lambda self: self.optimizer.defaults)

    @torch.no_grad()
    def step(self, closure: Optional[Callable[[], Any]] = None) -> Any:  # type: ignore[override]
        """A step of all ranks. Collective. Raises NotFinite and Error.

        NotFinite: some gradient has NaN or an infinity. The parameters and the optimizer's memory are as before; with a
        closure, and where the step itself overflows, only the parameters are.
        """
        if not closure:
            self._require_finite()
        for parameter, start in zip(self._parameters, self._starts):
            start.copy_(parameter)
        result = self.optimizer.step(closure) if closure else self.optimizer.step()
        for parameter, start, delta in zip(self._parameters, self._starts, self._each_delta()):
            torch.sub(parameter, start, out=delta)
        try:
            for deltas in self._deltas:
                deltas.combine(self._adasum)
        except Error:
            for parameter, start in zip(self._parameters, self._starts):
                parameter.copy_(start)
            raise
        for parameter, start, delta in zip(self._parameters, self._starts, self._each_delta()):
            torch.add(start, delta, out=parameter)
        return result

    def zero_grad(self, *args: Any, **kwargs: Any) -> None:
        self.optimizer.zero_grad(*args, **kwargs)

    def add_param_group(self, param_group: Any) -> None:
        self.optimizer.add_param_group(param_group)
        self._prepare()

    def state_dict(self) -> Any:
        return self.optimizer.state_dict()

    def load_state_dict(self, state_dict: Any) -> None:
        self.optimizer.load_state_dict(state_dict)

    def __getattr__(self, name: str) -> Any:
        """What this class does not have itself, such as later versions' lists of hooks, is that of the wrapped optimizer."""
        if name == "optimizer":  # not there yet
            raise AttributeError(name)
        return getattr(self.optimizer, name)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Of copy and pickle: a copy would be without the connections and the memory of this one."""
        raise TypeError("an adasum.torch.Optimizer cannot be copied or saved: copy or save its state_dict()")

    def __repr__(self) -> str:
        return f"adasum.torch.Optimizer({self.optimizer!r})"

    def _require_finite(self) -> None:
        finite = all(is_finite(parameter.grad) for parameter in self._parameters if parameter.grad is not None)
        self._adasum.combine([self._finite.fill_(0 if finite else float("nan"))])

    def _each_delta(self) -> Iterable[torch.Tensor]:
        return (delta for deltas in self._deltas for delta in deltas.each)

    # Of the parameters that are not prepared yet.
    @torch.no_grad()
    def _prepare(self) -> None:
        known = {id(parameter) for parameter in self._parameters}
        new = [parameter for group in self.param_groups for parameter in group["params"] if id(parameter) not in known]
        for same in alike(new):
            # Refused on all ranks if on one. The changes are contiguous, whatever the parameters are.
            self._adasum.combine([torch.zeros_like(parameter, memory_format=torch.contiguous_format) for parameter in same])
            self._adasum.broadcast(same)
            self._deltas.append(_Deltas(same, self._adasum))
            self._parameters += same
            self._starts += [torch.empty_like(parameter) for parameter in same]


class _Deltas:
    """What a step changes in parameters of one type and device, and its copy in main memory, from which ranks combine it."""

    def __init__(self, parameters: Sequence[torch.Tensor], state: State) -> None:
        elements = [parameter.numel() for parameter in parameters]
        self._host = state.empty(sum(elements), parameters[0].dtype)
        self._flat = torch.empty_like(self._host, device=parameters[0].device) if parameters[0].is_cuda else self._host
        self._parts = self._host.split(elements)
        self.each = [part.view_as(parameter) for part, parameter in zip(self._flat.split(elements), parameters)]

    def combine(self, state: State) -> None:
        """Collective."""
        if self._flat.is_cuda:
            self._host.copy_(self._flat)
        state.combine(self._parts)
        if self._flat.is_cuda:
            self._flat.copy_(self._host)


def _default_state() -> State:
    global _default  # pylint: disable=global-statement
    with _default_made:
        _default = _default or State()
    return _default


def _host_copy(whole: Optional[torch.Tensor], ready: Optional[torch.cuda.Event]) -> Optional[HostCopy]:
    """None for what is in main memory."""
    if whole is None or ready is None:
        return None
    try:
        return HostCopy(whole, ready)
    except RuntimeError as error:
        raise Refused(f"no copy of a tensor on {whole.device} in main memory: {error}") from error


def _described(value: Any) -> Union[Tuple[bytes, List[torch.Tensor]], Exception]:
    """What describes it, or why nothing does: the other ranks are told of that."""
    try:
        return values.described(value)
    except Exception as error:  # pylint: disable=broad-exception-caught
        return error


def _fail(error: Exception) -> NoReturn:
    """For the thread of a State, which then tells the other ranks."""
    raise error


def _event(tensor: torch.Tensor) -> torch.cuda.Event:
    """After all that the tensor's GPU has been told to do by this thread."""
    return torch.cuda.current_stream(tensor.device).record_event()


def _elastic_world(group: Optional[dist.ProcessGroup]) -> World:
    if group is not None:
        raise Error("State(elastic=True): not with a process group, whose ranks do not change")
    return World.join(elastic=True)


def _world_of(group: Optional[dist.ProcessGroup]) -> World:
    if not dist.is_initialized():
        return World.join()
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    if rank < 0:
        raise Error("this rank is not in the process group")
    listener, told = None, None  # The others are told a Root, or why there is none.
    if rank == 0:
        try:
            listener = Listener("", _own_address())
            told = listener.root
        except Error as error:
            told = f"rank 0 cannot listen: {error}"
    answers: List[Any] = [None] * size
    dist.all_gather_object(answers, (told, group is None and _has_pmi(rank, size)), group)
    if all(has_pmi for _, has_pmi in answers):
        return World.join()  # The secret of this world stays within SSH.
    root = answers[0][0]
    if isinstance(root, str):
        raise Error(root)
    return World.connect(rank, size, root, listener)


def _has_pmi(rank: int, size: int) -> bool:
    """Whether this process has the socket that adarun launch gives each rank; programs between them do not pass it on."""
    try:
        found = socket.socket(fileno=int(os.environ["PMI_FD"]))
    except (KeyError, ValueError, OSError):
        return False
    found.detach()  # It stays open.
    of_rank = os.environ.get("PMI_RANK") == str(rank) and os.environ.get("PMI_SIZE") == str(size)
    return of_rank and found.family == socket.AF_UNIX


def _own_address() -> str:
    """By what name or address the other ranks reach this machine."""
    master = os.environ.get("MASTER_ADDR")
    if not master:
        return socket.gethostname()
    if dist.get_rank() == 0:
        return master
    with contextlib.suppress(OSError):
        for family, kind, _, _, address in socket.getaddrinfo(master, 9, type=socket.SOCK_DGRAM):
            with contextlib.suppress(OSError), socket.socket(family, kind) as datagrams:
                datagrams.connect(address)  # Sends nothing.
                own = str(datagrams.getsockname()[0])
                return master if ipaddress.ip_address(own).is_loopback else own  # Loopback: MASTER_ADDR is this machine.
    return socket.gethostname()
