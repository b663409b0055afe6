"""`feedback mcp` as the protocol's SDK for Python starts it, in version 1 or 2, and the services that it
asks.
"""

import asyncio
import contextlib
import importlib.metadata
import json
import logging
import os
import subprocess
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).parents[2]
FEEDBACK = os.environ.get("FEEDBACK", str(ROOT / "target/debug/feedback"))
DEMO_KEY = "demo-read-key-0000"
IS_FIRST = importlib.metadata.version("mcp").startswith("1.")
# Tests run with asyncio's debugging, which reports each step of a tenth of a second.
logging.getLogger("asyncio").setLevel(logging.ERROR)
YEAR = {"project": "demo", "start": "2025-01-01", "end": "2026-01-01"}


def feedback(*arguments, **options):
    """Runs a command; returns its standard output."""
    options = {"check": True, "capture_output": True, "text": True} | options
    return subprocess.run([FEEDBACK, *arguments], **options).stdout


@contextlib.contextmanager
def served(*arguments):
    """Serves the API on a free port; yields its address."""
    ports = ["--listen", "127.0.0.1:0", "--dynamodb-listen", "127.0.0.1:0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([FEEDBACK, "serve", *ports, *arguments], **pipes) as process:
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


@contextlib.contextmanager
def served_records(records, *arguments):
    """Serves these records of the project `acme`, whose Read Key is the demo's."""
    with tempfile.TemporaryDirectory() as folder:
        data = ["--project", "acme", "--data", f"{folder}/data"]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        feedback("import", "responses", "-", *data, input=lines)
        feedback("credentials", "create", "--may", "statistics", *data, "--secret-stdin", input=DEMO_KEY)
        with served("--data", f"{folder}/data", *arguments) as url:
            yield url


class Listening:
    """A server on a free port; its class says what it does with a connection."""

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.url = "http://127.0.0.1:%d" % self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()


class Silent(Listening):
    """A service that accepts requests and never answers."""

    def __init__(self):
        self.requests, self.ended = asyncio.Queue(), asyncio.Queue()

    async def accept(self, reader, writer):
        self.requests.put_nowait(await reader.readuntil(b"\r\n\r\n"))
        with contextlib.suppress(ConnectionError):
            await reader.read()
        self.ended.put_nowait(True)
        writer.close()


class Answer:
    """The result of a tool."""

    def __init__(self, result):
        members = result.model_dump(by_alias=True, mode="json")
        self.is_error = bool(members["isError"])
        [content] = members["content"]
        self.text = content["text"]
        self.structured = members["structuredContent"]


class Assistant:
    """A session of an assistant with `feedback mcp`. It checks each structured content against its schema."""

    def __init__(self, url, *arguments, key=DEMO_KEY):
        self.parameters = StdioServerParameters(
            command=FEEDBACK, args=["mcp", "--url", url, *arguments], env={"FEEDBACK_READ_KEY": key}
        )
        self.stack = contextlib.AsyncExitStack()

    async def __aenter__(self):
        self.log = self.stack.enter_context(tempfile.TemporaryFile("w+"))
        transport = stdio_client(self.parameters, errlog=self.log)
        if IS_FIRST:
            streams = await self.stack.enter_async_context(transport)
            self.session = await self.stack.enter_async_context(ClientSession(*streams))
            welcome = await self.session.initialize()
            self.protocol, self.instructions = welcome.protocolVersion, welcome.instructions
        else:
            from mcp import Client

            self.session = await self.stack.enter_async_context(Client(transport))
            self.protocol, self.instructions = self.session.protocol_version, self.session.instructions
        return self

    async def __aexit__(self, *exception):
        await self.stack.__aexit__(*exception)

    async def tools(self):
        """Returns the tools by their names, as the protocol's JSON."""
        listed = await self.session.list_tools()
        return {tool.name: tool.model_dump(by_alias=True, mode="json") for tool in listed.tools}

    async def call(self, name, **arguments):
        return Answer(await self.session.call_tool(name, arguments))

    async def refusal(self, name, **arguments):
        """Returns the words of a call that is refused."""
        answer = await self.call(name, **arguments)
        assert answer.is_error and answer.structured is None, answer.text
        return answer.text

    async def cancel(self, task):
        """Cancels the call that this task waits for, as an assistant's program does."""
        if IS_FIRST:
            # This version does not tell the server by itself.
            from mcp import types

            parameters = types.CancelledNotificationParams(requestId=self.session._request_id - 1)
            cancelled = types.CancelledNotification(params=parameters)
            await self.session.send_notification(types.ClientNotification(cancelled))
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    def written(self):
        """Returns what the program wrote to standard error."""
        self.log.seek(0)
        return self.log.read()
