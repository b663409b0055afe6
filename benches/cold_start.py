"""Measures the time from the start of a bootstrap to its first poll for an invocation."""
import os
import socket
import statistics
import time

ENVIRONMENT = {
    "AWS_LAMBDA_FUNCTION_NAME": "f", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "128", "AWS_LAMBDA_FUNCTION_VERSION": "1",
    "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:1",
    # One bundle of roots of trust, as in Lambda's image.
    "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
}


def measure(programs, rounds):
    """Returns median milliseconds by program. Every program runs once in each round."""
    runtime = socket.create_server(("127.0.0.1", 0))
    environment = {name: value for name, value in os.environ.items() if name != "SSL_CERT_DIR"}
    environment |= {**ENVIRONMENT, "AWS_LAMBDA_RUNTIME_API": "127.0.0.1:%d" % runtime.getsockname()[1]}
    times = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            times[name].append(first_poll(runtime, str(program), environment))
    return {name: statistics.median(values) for name, values in times.items()}


def first_poll(runtime, program, environment):
    started = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    process = os.posix_spawn(program, [program], environment, file_actions=quiet)
    connection, _ = runtime.accept()
    request = connection.recv(4096)
    took = time.perf_counter() - started
    assert request.startswith(b"GET /2018-06-01/runtime/invocation/next"), request
    os.kill(process, 9)
    os.waitpid(process, 0)
    connection.close()
    return took * 1000
