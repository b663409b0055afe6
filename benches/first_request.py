"""Measures the first and later invocations of a bootstrap, with a store behind TLS."""
import json
import os
import socket
import ssl
import statistics
import subprocess
import threading
import time
from pathlib import Path

EVENT = json.loads((Path(__file__).parent.parent / "events" / "response-statistics-rest.json").read_text())


def certificate(folder):
    """Creates a self-signed certificate for 127.0.0.1; returns the paths of the certificate and its key."""
    paths = [str(Path(folder) / name) for name in ("certificate.pem", "key.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
         "/CN=local", "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
        check=True, capture_output=True)
    return paths


def terminate_tls(address, paths):
    """Starts a proxy that terminates TLS in front of an http address; returns its https address."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*paths)
    host, port = address.removeprefix("http://").split(":")
    server = socket.create_server(("127.0.0.1", 0))

    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass

    def serve():
        while True:
            plain, _ = server.accept()
            store = socket.create_connection((host, int(port)))
            for end in (plain, store):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
            threading.Thread(target=pump, args=(client, store), daemon=True).start()
            threading.Thread(target=pump, args=(store, client), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return "https://127.0.0.1:%d" % server.getsockname()[1]


def event(project="acme", key="bench-read-key-0000"):
    query = {"project": project, "startDate": "2024-01-01", "endDate": "2025-01-01"}
    return json.dumps({
        **EVENT, "headers": {"AuthKey": key}, "multiValueHeaders": {"AuthKey": [key]},
        "queryStringParameters": query, "multiValueQueryStringParameters": {name: [value] for name, value in query.items()},
    }).encode()


def invocations(command, environment, events):
    """Returns the milliseconds until the program polls for an event, and those from each event to its response."""
    runtime = socket.create_server(("127.0.0.1", 0))
    environment = {**environment, "AWS_LAMBDA_RUNTIME_API": "127.0.0.1:%d" % runtime.getsockname()[1]}
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    connection, _ = runtime.accept()
    read(connection)
    times = [(time.perf_counter() - started) * 1000]
    for n, body in enumerate(events):
        deadline = int(time.time() * 1000) + 20_000
        head = (f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLambda-Runtime-Aws-Request-Id: {n}\r\n"
                f"Lambda-Runtime-Deadline-Ms: {deadline}\r\nLambda-Runtime-Invoked-Function-Arn: arn\r\nContent-Length: {len(body)}\r\n\r\n")
        started = time.perf_counter()
        connection.sendall(head.encode() + body)
        answer = read(connection)
        times.append((time.perf_counter() - started) * 1000)
        assert b'"statusCode":200' in answer or b'"code\\":\\"forbidden' in answer, answer
        connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
        read(connection)
    process.kill()
    process.wait()
    return times


def read(connection):
    """Reads one whole request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + body


def measure(program, address, folder, rounds):
    """Returns median milliseconds of the start, of the first and of later invocations, and of one that reads only a
    credential, with and without the warm-up reads."""
    paths = certificate(folder)
    environment = {
        **{name: value for name, value in os.environ.items() if name != "SSL_CERT_DIR"},
        "AWS_ENDPOINT_URL_DYNAMODB": terminate_tls(address, paths), "SSL_CERT_FILE": paths[0],
        "AWS_LAMBDA_FUNCTION_NAME": "f", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "128", "AWS_LAMBDA_FUNCTION_VERSION": "1",
    }
    # Refused after the credential is read: each key is new and belongs to another project.
    events = [event()] * 11 + [event("globex", f"bench-read-key-{n:04}") for n in range(1, 11)]
    result = {}
    for name, variables in (("warm", {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}), ("cold", {})):
        runs = [invocations([str(program)], {**environment, **variables}, events) for _ in range(rounds)]
        parts = {"start": slice(0, 1), "first": slice(1, 2), "later": slice(2, 12), "refused": slice(12, None)}
        result[name] = {part: statistics.median(time for run in runs for time in run[place]) for part, place in parts.items()}
    return result
