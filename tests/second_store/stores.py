"""The stores that a program from outside may write: a served data folder, and moto."""

import contextlib
import json
import logging
import os
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import boto3
from moto.server import ThreadedMotoServer

# moto's server writes a line for each request.
logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
ROOT = Path(__file__).parents[2]
FEEDBACK = ROOT / "target/debug/feedback"
SETTINGS = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "FEEDBACK_"))}


class Store:
    """A store, where commands and clients of AWS find it, and the API over it if there is one."""

    def __init__(self, endpoint, key_file, folder, api=None):
        self.api = api
        self.folder = folder
        self.settings = SETTINGS | {
            "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": str(key_file),
            # The SDK warns of versions of Node that it will not support.
            "NODE_NO_WARNINGS": "1",
        }

    def run(self, *command, **options):
        """Runs a program beside the store."""
        return subprocess.run(command, env=self.settings, cwd=self.folder, capture_output=True, text=True, **options)

    def feedback(self, line, code=0, **options):
        """Runs a command of the program, which must exit with this code; returns its standard output."""
        result = self.run(FEEDBACK, *line.split(), **options)
        assert result.returncode == code, result
        return result.stdout

    def client(self):
        """Returns a client of the SDK for Python."""
        # The environment of the tests themselves may have other settings.
        key_file = Path(self.settings["AWS_SHARED_CREDENTIALS_FILE"]).read_text()
        [key] = [line.split("=")[1].strip() for line in key_file.splitlines() if "access_key_id" in line]
        endpoint = self.settings["AWS_ENDPOINT_URL_DYNAMODB"]
        secrets = {"aws_access_key_id": key, "aws_secret_access_key": "unused"}
        return boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", **secrets)


@contextlib.contextmanager
def served():
    """Serves a new data folder."""
    with tempfile.TemporaryDirectory() as folder:
        ports = ["--listen", "127.0.0.1:0", "--dynamodb-listen", "127.0.0.1:0"]
        command = [FEEDBACK, "serve", "--data", f"{folder}/data", *ports]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=SETTINGS, **pipes) as process:
            try:
                # Its first lines are that it creates the folder and that it has started, or why it has not.
                started = [json.loads(process.stderr.readline()) for _ in range(2)][1]
                yield Store(started["tables"], f"{folder}/data/aws-credentials", folder, started["api"])
            finally:
                process.terminate()


@contextlib.contextmanager
def moto():
    """Starts moto, with new tables."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        key_file = Path(folder, "key")
        key_file.write_text("[default]\naws_access_key_id = local\naws_secret_access_key = local\n")
        try:
            host, port = server.get_host_and_port()
            store = Store(f"http://{host}:{port}", key_file, folder)
            # Servers of one process share what is stored.
            urllib.request.urlopen(f"http://{host}:{port}/moto-api/reset", data=b"").close()
            store.feedback("tables create")
            yield store
        finally:
            server.stop()
