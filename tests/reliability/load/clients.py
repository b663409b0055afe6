"""Clients that are slow, half-sent or greedy, and what they find wrong."""

import asyncio
import collections
import contextlib
import random
import socket
import time
import zlib

# The time in which a response has to begin, and to continue.
PATIENCE = 10
# The time after which the server closes a connection without a whole head, with a margin for a busy machine.
HEAD_LIMIT = 75 + 5


class Wrong(Exception):
    """A response that is not as it must be."""


class Hung(Exception):
    """A response that does not come."""


class Clients:
    """What all clients did until now."""

    def __init__(self, port, seed):
        self.port, self.random = port, random.Random(seed)
        self.ending = asyncio.Event()
        self.requests = self.errors = self.hung = 0
        self.counts = collections.Counter()
        self.started = time.monotonic()

    def problem(self, client, error):
        if isinstance(error, Hung):
            self.hung += 1
        else:
            self.errors += 1
        if self.errors + self.hung <= 20:
            seconds = time.monotonic() - self.started
            print(f"{client} after {seconds:.1f} s: {type(error).__name__} {error}", flush=True)

    async def repeat(self, client, pause, *arguments):
        """Runs a client again and again until the end, with pauses; it starts after the first one."""
        while not await self.ends_within(self.random.uniform(0, 2 * pause)):
            try:
                await client(self, *arguments)
            except (Wrong, Hung, OSError) as error:
                request = next((it.target for it in arguments if hasattr(it, "target")), "")
                self.problem(f"{client.__name__} {request}".strip(), error)

    async def ends_within(self, seconds):
        """Waits for the end, at most for this time; returns whether it is the end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.ending.wait(), seconds)
        return self.ending.is_set()

    @contextlib.asynccontextmanager
    async def connection(self, buffer=1 << 16):
        """Connects, with about this much room for what has arrived and is not read yet."""
        stream = socket.socket()
        stream.setblocking(False)
        if buffer < 1 << 16:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        try:
            await in_time(asyncio.get_running_loop().sock_connect(stream, ("127.0.0.1", self.port)))
            reader, writer = await asyncio.open_connection(sock=stream, limit=buffer)
        except BaseException:
            stream.close()
            raise
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


async def in_time(operation, seconds=PATIENCE):
    try:
        return await asyncio.wait_for(operation, seconds)
    except TimeoutError:
        raise Hung(f"nothing for {seconds} s") from None


def request_text(request, version="1.1", more=""):
    return (
        f"GET {request.target} HTTP/{version}\r\nHost: localhost\r\n{request.header}\r\n{more}\r\n".encode()
    )


async def read_head(reader):
    """Reads the head of a response, which must be a 200; returns its headers."""
    try:
        head = await in_time(reader.readuntil(b"\r\n\r\n"))
    except asyncio.IncompleteReadError as error:
        raise Wrong(f"a head that ends after {error.partial!r}") from None
    status, *headers = head.decode().splitlines()
    if status.split()[1] != "200":
        raise Wrong(status)
    return dict(line.lower().split(": ", 1) for line in headers if line)


async def respond(reader, writer, request):
    """Sends a request on a connection that stays open; returns the body of its response."""
    writer.write(request_text(request))
    length = int((await read_head(reader))["content-length"])
    try:
        return await in_time(reader.readexactly(length))
    except asyncio.IncompleteReadError as error:
        raise Wrong(f"{len(error.partial)} of {length} bytes") from None


async def ask(clients, request):
    """Returns the body of a response."""
    async with clients.connection() as (reader, writer):
        return await respond(reader, writer, request)


async def kept(clients, small):
    """Sends one small request after the other on one connection, and waits between them."""
    async with clients.connection() as (reader, writer):
        while not await clients.ends_within(clients.random.uniform(0, 4)):
            request, expected = clients.random.choice(small)
            try:
                body = await respond(reader, writer, request)
            except (Wrong, Hung, OSError) as error:
                raise type(error)(f"{request.target}: {error}") from None
            clients.requests += 1
            if body != expected:
                raise Wrong(f"{request.target}: {body[:200]}")


class Checked:
    """A body that is checked while it arrives."""

    MEMBER = b'"userId":'

    def __init__(self):
        self.length = self.checksum = self.users = 0
        self.rest = b""

    def add(self, piece):
        self.length += len(piece)
        self.checksum = zlib.crc32(piece, self.checksum)
        # A member may be split between two pieces.
        piece = self.rest + piece
        self.users += piece.count(self.MEMBER)
        self.rest = piece[1 - len(self.MEMBER) :]

    @property
    def end(self):
        return self.rest[-2:]

    def __eq__(self, other):
        return vars(self) == vars(other)


async def read_body(clients, request, buffer=1 << 20, rate=None):
    """Reads a body to the end of its connection, at most at this rate in bytes a second; returns what it was,
    or None if the load ends first."""
    body = Checked()
    async with clients.connection(buffer) as (reader, writer):
        # Without chunks, so that the bytes are those of the body.
        writer.write(request_text(request, version="1.0"))
        await read_head(reader)
        started = time.monotonic()
        while piece := await in_time(reader.read(buffer), PATIENCE):
            body.add(piece)
            ahead = body.length / rate - (time.monotonic() - started) if rate else 0
            if ahead > 0 and await clients.ends_within(ahead) or clients.ending.is_set():
                return None
    return body


async def whole_list(clients, request, expected):
    """Reads the list of a gigabyte as fast as possible."""
    body = await read_body(clients, request)
    if body is None:
        return
    clients.requests += 1
    clients.counts["lists of a gigabyte"] += 1
    if body != expected:
        raise Wrong(f"a list of {body.length} bytes that ends with {body.end!r}")


async def slow_list(clients, request, rate):
    """Reads the list of a gigabyte so slowly that it does not end."""
    clients.counts["slow lists"] += 1
    clients.requests += 1
    body = await read_body(clients, request, buffer=1 << 12, rate=rate)
    if body is not None:
        raise Wrong(f"a list that ended after {body.length} bytes")


async def slow_compressed_list(clients, request, rate):
    """Reads the compressed list in the same way."""
    await slow_list(clients, request._replace(header=request.header + "\r\nAccept-Encoding: gzip"), rate)


async def slow_page(clients, request, expected, rate):
    """Reads a page of several megabytes slowly, to its end."""
    body = await read_body(clients, request, buffer=1 << 13, rate=rate)
    if body is None:
        return
    clients.requests += 1
    clients.counts["slow pages"] += 1
    if body != expected:
        raise Wrong(f"a page of {body.length} bytes that ends with {body.end!r}")


async def half_sent(clients, request):
    """Sends part of a head, now and then a byte more, until the server closes the connection."""
    head = request_text(request)
    sent = clients.random.randrange(len(head) - 3)
    async with clients.connection(1 << 12) as (reader, writer):
        writer.write(head[:sent])
        started = time.monotonic()
        closed = asyncio.ensure_future(reader.read(1))
        try:
            while not closed.done():
                await asyncio.wait([closed], timeout=clients.random.uniform(1, 4))
                if clients.ending.is_set():
                    return
                if time.monotonic() - started > HEAD_LIMIT:
                    raise Hung(f"half a head kept a connection open for {HEAD_LIMIT} s")
                if not closed.done() and sent < len(head) - 3:
                    sent += 1
                    writer.write(head[sent - 1 : sent])
        finally:
            closed.cancel()
        clients.counts["half-sent heads"] += 1
        if time.monotonic() - started < 74:
            clients.counts["half-sent heads that made room"] += 1
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            if closed.result():
                raise Wrong("a response to half a head")
