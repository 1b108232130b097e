"""A WebSocket client (RFC 6455) for text messages, over a plain connection."""

import base64
import json
import os
import socket


class WebSocket:
    def __init__(self, host: str, port: int, path: str):
        self._socket = socket.create_connection((host, port), timeout=180)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13",
        ]  # fmt: skip
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._reader = self._socket.makefile("rb")
        status = self._reader.readline().decode()
        while self._reader.readline() not in (b"\r\n", b""):
            pass
        if " 101 " not in status:
            raise ConnectionError(status)

    def send(self, frame) -> None:
        self._send(0x81, json.dumps(frame).encode())

    def receive(self):
        """The next frame as JSON; once the server has closed, the close code as {"closed": code}."""
        while True:
            head = self._reader.read(2)
            if len(head) < 2:
                return {"closed": 1006}
            length = head[1] & 0x7F
            if length == 126:
                length = int.from_bytes(self._reader.read(2), "big")
            elif length == 127:
                length = int.from_bytes(self._reader.read(8), "big")
            payload = self._reader.read(length)
            kind = head[0] & 0x0F
            if kind == 1:
                return json.loads(payload)
            if kind == 8:
                return {"closed": int.from_bytes(payload[:2], "big")}
            if kind == 9:
                self._send(0x8A, payload)

    def receive_type(self, *types: str):
        """The next frame of one of these types, or the close."""
        while True:
            frame = self.receive()
            if "closed" in frame or frame["type"] in types:
                return frame

    def close(self) -> None:
        self._send(0x88, (1000).to_bytes(2, "big"))
        self._socket.close()

    def _send(self, head: int, payload: bytes) -> None:
        mask = os.urandom(4)
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2, "big")
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        self._socket.sendall(bytes([head]) + length + mask + masked)
