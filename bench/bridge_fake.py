"""A server for bridge.py: it answers every request with one body, over plain HTTP, TLS or HTTP/2."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded

_FORM = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def certificate(folder: Path) -> Path:
    """A file with a certificate for loopback that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    begin = datetime.now(UTC) - timedelta(hours=1)
    host = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(x509.random_serial_number()).add_extension(host, critical=False)
    built = built.not_valid_before(begin).not_valid_after(begin + timedelta(days=1))
    built = built.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    pem = built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    file = folder / "loopback.pem"
    file.write_bytes(pem + key.private_bytes(*_FORM))
    return file


async def serve(protocol: str, body: bytes, trust: Path | None) -> None:
    """Serve until the process ends; the port is printed first."""
    context = None
    if trust is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(trust)
        context.set_alpn_protocols([protocol])

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await (_http2 if protocol == "h2" else _http1)(reader, writer, body)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _http1(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
    while not reader.at_eof():
        try:
            asked = (await reader.readuntil(b"\r\n\r\n")).lower()
        except asyncio.IncompleteReadError:
            return
        _, _, told = asked.partition(b"content-length: ")
        if told:
            await reader.readexactly(int(told.partition(b"\r\n")[0]))
        writer.write(head + body)


async def _http2(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes) -> None:
    line = H2Connection(H2Configuration(client_side=False))
    line.initiate_connection()
    head = [(":status", "200"), ("content-type", "application/json"), ("content-length", str(len(body)))]
    while received := await reader.read(65_536):
        for event in line.receive_data(received):
            if isinstance(event, RequestReceived):
                line.send_headers(event.stream_id, head)
            elif isinstance(event, DataReceived):
                line.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                line.send_data(event.stream_id, body, end_stream=True)
        writer.write(line.data_to_send())


if __name__ == "__main__":
    _protocol, _body, _trust = sys.argv[1:]
    asyncio.run(serve(_protocol, Path(_body).read_bytes(), Path(_trust) if _trust else None))
