"""A stand-in for the package `websockets`, which tests cannot count on: one client, text frames, nothing more."""

import asyncio
import base64
import os
import urllib.parse


class WebSocketException(Exception):
    pass


class _Refused(WebSocketException):
    def __init__(self, status_code):
        super().__init__(status_code)
        self.status_code = status_code


class connect:
    def __init__(self, address, max_size=2**20):
        self._address = urllib.parse.urlsplit(address)
        self._max_size = max_size

    async def __aenter__(self):
        url = self._address
        self._reader, self._writer = await asyncio.open_connection(url.hostname, url.port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {url.path}?{url.query} HTTP/1.1", f"Host: {url.netloc}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self._writer.write("\r\n".join(lines).encode())
        status = int((await self._reader.readline()).split()[1])
        while (await self._reader.readline()).strip():
            pass
        if status != 101:
            raise _Refused(status)
        return self

    async def __aexit__(self, *_):
        self._writer.close()

    def __aiter__(self):
        return self

    async def __anext__(self):
        while True:
            try:
                first, second = await self._reader.readexactly(2)
                length = second & 127
                if length > 125:
                    length = int.from_bytes(await self._reader.readexactly(2 if length == 126 else 8), "big")
                if self._max_size is not None and length > self._max_size:
                    raise WebSocketException(f"a message of {length} bytes is too big")
                data = await self._reader.readexactly(length)
            except asyncio.IncompleteReadError:
                raise StopAsyncIteration from None
            if first & 15 == 1:
                return data.decode()
            if first & 15 == 8:
                raise StopAsyncIteration
