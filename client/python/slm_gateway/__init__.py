"""The Sound Level Meter Gateway from Python: Python 3.9 or newer, and nothing else.

    from slm_gateway import Gateway

    gateway = Gateway("http://127.0.0.1:8100/api/nl43")
    print(gateway.live("roof")["lp"], "dB")

Every function raises GatewayError when the gateway refuses; its `code` says why (docs/api.md has the table). The streams
(`events`, `frames`) need the package `websockets`; everything else is in the standard library.
"""

from __future__ import annotations

import asyncio
import http.client
import importlib
import json
import os
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, AsyncGenerator, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

__all__ = ["Download", "Gateway", "GatewayError", "utc"]

Time = Union[datetime, str]
CHUNK = 65_536
# The gateway answers within 30 s, or says that it could not.
TIMEOUT_S = 40.0
# Of a gateway whose setting `base_path` was not changed.
USUAL_PATH = "/api/nl43"
RETRY_MIN_S = 1.0
RETRY_MAX_S = 30.0
# What a connection that ends in the middle of an answer raises.
BROKEN = (http.client.HTTPException, ConnectionError, TimeoutError, socket.timeout)


class GatewayError(Exception):
    """The gateway refused, or none answered.

    code         what programs decide by: a code of docs/api.md; NO_GATEWAY where nothing answered, NOT_A_GATEWAY where
                 something else did, TRANSFER_BROKEN where a download broke off
    status       HTTP status; 0 where nothing answered
    detail       one sentence for a person
    errors       places of wrong input: [{"path": "/tcp_port", "message": "..."}]
    retry_after  seconds after which another try makes sense; None where nothing was said
    """

    def __init__(
        self,
        code: str,
        detail: str,
        status: int = 0,
        errors: Sequence[Mapping[str, str]] = (),
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code
        self.detail = detail
        self.status = status
        self.errors = list(errors)
        self.retry_after = retry_after


class Download(NamedTuple):
    """What `download` has written."""

    path: Path
    size: int
    #: Bytes that were there already from a try before.
    resumed_from: int


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key is sent only to the given address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Gateway:
    """One gateway. The key may also come from the environment: SLM_API_KEY, or SLM_API_KEY_FILE with the name of a file.

    An address without a path gets the usual one, /api/nl43. `base_path` is used in place of it: "" for a gateway whose setting
    `base_path` is empty.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8100/api/nl43",
        key: Optional[str] = None,
        timeout: float = TIMEOUT_S,
        base_path: Optional[str] = None,
    ) -> None:
        parts = urllib.parse.urlsplit(base_url)
        path = base_path if base_path is not None else parts.path.rstrip("/") or USUAL_PATH
        self.base_url = f"{parts.scheme}://{parts.netloc}{path}".rstrip("/")
        self._key = key if key is not None else _key_from(os.environ)
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    # Any call

    def call(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
    ) -> dict[str, Any]:
        """Any call that has no function of its own. `path` is below the base path: "/roof/battery"."""
        with self._open(method, path, query, body) as answer:
            try:
                found: dict[str, Any] = json.load(answer)
                return found
            except BROKEN as error:
                raise GatewayError("NO_GATEWAY", f"The answer of {self.base_url} broke off: {error}.") from None
            except ValueError:
                raise _stranger(answer.status) from None

    def pages(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Iterator[dict[str, Any]]:
        """All entries of a list, page after page, as they are asked for."""
        asked = dict(query or {})
        while True:
            page = self.call("GET", path, asked)
            yield from page["data"]
            if page.get("next") is None:
                return
            asked["cursor"] = page["next"]

    def _data(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
    ) -> dict[str, Any]:
        found: dict[str, Any] = self.call(method, path, query, body)["data"]
        return found

    def _message(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> str:
        return str(self.call(method, path, None, body)["message"])

    # Units

    def units(self, **filters: Any) -> list[dict[str, Any]]:
        """All meters with their last values; levels are numbers. Filters: tag, state, q."""
        return list(self.pages("/_status", filters))

    def status(self, unit: str) -> dict[str, Any]:
        """The last values of a meter, without contacting it."""
        return self._data("GET", f"{_at(unit)}/status")

    def live(self, unit: str) -> dict[str, Any]:
        """A fresh reading of the meter. Takes a second or two."""
        return self._data("GET", f"{_at(unit)}/live")

    def config(self, unit: str) -> dict[str, Any]:
        return self._data("GET", f"{_at(unit)}/config")

    def configure(self, unit: str, **fields: Any) -> dict[str, Any]:
        """Creates or changes a unit: configure("roof", host="192.0.2.40", history="stream")."""
        return self._data("PUT", f"{_at(unit)}/config", body=fields)

    def remove(self, unit: str) -> str:
        return self._message("DELETE", f"{_at(unit)}/config")

    # Measuring

    def start(self, unit: str) -> str:
        return self._control(unit, "start")

    def stop(self, unit: str) -> str:
        return self._control(unit, "stop")

    def pause(self, unit: str) -> str:
        return self._control(unit, "pause")

    def resume(self, unit: str) -> str:
        return self._control(unit, "resume")

    def reset(self, unit: str) -> str:
        return self._control(unit, "reset")

    def store(self, unit: str) -> str:
        return self._control(unit, "store")

    def _control(self, unit: str, name: str) -> str:
        return self._message("POST", f"{_at(unit)}/{name}")

    def results(self, unit: str) -> dict[str, Any]:
        """Leq, Lmax, Lmin and Lpeak of the last finished measurement."""
        return self._data("GET", f"{_at(unit)}/results")

    def setting(self, unit: str, name: str) -> dict[str, Any]:
        """A setting of the meter by its path: "clock", "frequency-weighting"."""
        return self.call("GET", f"{_at(unit)}/{name}")

    def set(self, unit: str, name: str, **value: Any) -> str:
        """set("roof", "measurement-time", preset="15m")"""
        return self._message("PUT", f"{_at(unit)}/{name}", body=value)

    # What was recorded

    def history(
        self,
        unit: str,
        start: Time,
        end: Time,
        step: str = "auto",
        quantities: Sequence[str] = ("leq", "lmax", "l10", "l90"),
        **more: Any,
    ) -> list[dict[str, Any]]:
        """Levels as a list of rows: {"start": datetime, "leq": 54.3, ..., "coverage": 0.99, "quality": "measured"}.

        Levels are dB, None where there is no value. `end` is not included. A time without a zone is refused.
        """
        query = {"from": utc(start), "to": utc(end), "step": step, "quantities": ",".join(quantities), **more}
        data = self.call("GET", f"{_at(unit)}/history", query)["data"]
        rows = (dict(zip(data["columns"], row)) for row in data["rows"])
        return [{**row, "start": _moment(row["start"])} for row in rows]

    def indices(self, unit: str, start: Time, end: Time, preset: str = "eu", **more: Any) -> dict[str, Any]:
        """Lden, Ldn or CNEL by local day: {"days": [...], "total": {...}}."""
        query = {"from": utc(start), "to": utc(end), "preset": preset, **more}
        return self._data("GET", f"{_at(unit)}/indices", query)

    def alerts(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Events of alerts, the newest first. Filters: unit, rule, open, from_, to."""
        return self.pages("/_alerts/events", {name.rstrip("_"): value for name, value in filters.items()})

    def wait(self, job: Union[str, int], look_s: float = 1.0) -> dict[str, Any]:
        """Waits for the end of long work. Raises GatewayError where it failed."""
        while True:
            found = self._data("GET", f"/_jobs/{job}")
            if found["state"] == "done":
                return found
            if found["state"] in ("failed", "cancelled"):
                error = found.get("error") or {}
                raise GatewayError(error.get("code", "CANCELLED"), error.get("detail", f"The job {job} was cancelled."))
            time.sleep(look_s)

    # Files

    def files(self, unit: str, path: str = "/") -> list[dict[str, Any]]:
        """A folder of the card of the meter. Its FTP must be on: call("POST", "/roof/ftp/enable")."""
        found: list[dict[str, Any]] = self.call("GET", f"{_at(unit)}/ftp/files", {"path": path})["files"]
        return found

    def download(self, unit: str, path: str, target: Union[str, Path, None] = None) -> Download:
        """Writes a file of the card to `target` (default: its own name, here). Goes on where an earlier try broke off.

        What has arrived is in `<target>.part` until it is whole. A file that is another one by now is fetched again.
        """
        name = Path(path).name
        final = Path(target) if target is not None else Path(name)
        if final.is_dir():
            final = final / name
        part, mark = Path(f"{final}.part"), Path(f"{final}.etag")
        etag = mark.read_text() if part.exists() and mark.exists() else ""
        have = part.stat().st_size if etag else 0
        # The mark says to which version of the file these bytes belong: if it has changed, the gateway sends all.
        ranged = {"Range": f"bytes={have}-", "If-Range": etag} if have else {}
        try:
            answer = self._open("GET", f"{_at(unit)}/ftp/file", {"path": path}, headers=ranged)
        except GatewayError as error:
            if error.status != 416:
                raise
            # Everything had arrived before, but the file was not renamed.
            answer = self._open("GET", f"{_at(unit)}/ftp/file", {"path": path})
        with answer:
            begin = have if answer.status == 206 else 0
            mark.write_text(answer.headers.get("ETag") or "")
            _copy(answer, part, begin)
        size = part.stat().st_size
        os.replace(part, final)
        mark.unlink()
        return Download(final, size, begin)

    # Streams

    async def events(
        self,
        units: Union[str, Sequence[str]] = "*",
        events: Optional[Sequence[str]] = None,
        hz: Optional[int] = None,
    ) -> AsyncGenerator[dict[str, Any], None]:
        """What happens at the meters, as it happens: readings, states, alerts. Endless; connects again by itself.

        Needs the package `websockets`.
        """
        websockets = _websockets()
        pause = RETRY_MIN_S
        while True:
            try:
                address = await asyncio.to_thread(self._live_address, units, events, hz)
                # The first message has every meter: of a thousand it is longer than the package takes by itself.
                async with websockets.connect(address, max_size=None) as socket:
                    async for text in socket:
                        pause = RETRY_MIN_S
                        yield json.loads(text)
            except GatewayError as error:
                # If the key is refused or the unit does not exist, trying again would not help.
                if 400 <= error.status < 500 and error.status != 429:
                    raise
            except (OSError, EOFError, websockets.WebSocketException) as error:
                _raise_if_refused(error)
            await asyncio.sleep(pause)
            pause = min(pause * 2, RETRY_MAX_S)

    async def frames(self, unit: str, hz: int = 10) -> AsyncGenerator[dict[str, Any], None]:
        """The levels of one meter, up to ten times a second. Endless, as `events`."""
        found = self.events([unit], ["frame"], hz)
        try:
            async for event in found:
                if event["event"] == "frame":
                    yield {"time": _moment(event["time"]), "missed": event["missed"], **event["data"]}
        finally:
            await found.aclose()

    def _live_address(self, units: Union[str, Sequence[str]], events: Optional[Sequence[str]], hz: Optional[int]) -> str:
        query: dict[str, Any] = {"units": units if isinstance(units, str) else ",".join(units)}
        if events is not None:
            query["events"] = ",".join(events)
        if hz is not None:
            query["hz"] = hz
        if self._key is not None:
            query["ticket"] = self.call("POST", "/_tickets", body={})["ticket"]
        return f"ws{self.base_url[len('http'):]}/_live?{urllib.parse.urlencode(query)}"

    # HTTP

    def _open(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> http.client.HTTPResponse:
        url = self.base_url + path
        if query:
            url += "?" + urllib.parse.urlencode({name: _word(value) for name, value in query.items() if value is not None})
        request = urllib.request.Request(url, method=method)
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        if self._key is not None:
            request.add_header("Authorization", f"Bearer {self._key}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            answer: http.client.HTTPResponse = self._opener.open(request, timeout=self._timeout)
            return answer
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except (urllib.error.URLError, *BROKEN) as error:
            reason = getattr(error, "reason", error)
            raise GatewayError("NO_GATEWAY", f"No gateway answers at {self.base_url}: {reason}.") from None


def utc(time_: Time) -> str:
    """ISO 8601 with its zone. A time without a zone is refused, because it is not clear which zone it means."""
    if isinstance(time_, str):
        return time_
    if time_.tzinfo is None:
        raise ValueError("the time has no zone: use datetime.now(timezone.utc) or .astimezone()")
    return time_.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _at(unit: str) -> str:
    return "/" + urllib.parse.quote(unit, safe="")


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return utc(value) if isinstance(value, datetime) else str(value)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _key_from(environment: Mapping[str, str]) -> Optional[str]:
    file = environment.get("SLM_API_KEY_FILE")
    return environment.get("SLM_API_KEY") or (Path(file).read_text().strip() if file else None)


def _refusal(error: urllib.error.HTTPError) -> GatewayError:
    with error:
        text = error.read(CHUNK)
    wait = error.headers.get("Retry-After", "")
    retry_after = float(wait) if wait.isdigit() else None
    try:
        body = json.loads(text)
        return GatewayError(body["code"], body["detail"], error.code, body.get("errors", ()), retry_after)
    except (ValueError, KeyError, TypeError):
        return _stranger(error.code, retry_after)


def _stranger(status: int, retry_after: Optional[float] = None) -> GatewayError:
    words = f"Something answered with {status} that is not the gateway."
    return GatewayError("NOT_A_GATEWAY", words, status, (), retry_after)


def _raise_if_refused(error: Exception) -> None:
    """A handshake that was answered with 401, 403, 404: trying again would not help."""
    status = getattr(getattr(error, "response", error), "status_code", 0)
    if 400 <= status < 500 and status != 429:
        raise GatewayError("REFUSED", f"The gateway refused the stream with {status}.", status) from None


def _copy(answer: http.client.HTTPResponse, part: Path, begin: int) -> None:
    try:
        with part.open("r+b" if begin else "wb") as file:
            file.truncate(begin)
            file.seek(begin)
            while chunk := answer.read(CHUNK):
                file.write(chunk)
            done = file.tell()
    except BROKEN as error:
        raise GatewayError("TRANSFER_BROKEN", f"The download broke off: {error}. Call again to go on.") from None
    # http.client takes a connection that ends too early for the end of the file.
    size = begin + int(answer.headers.get("Content-Length") or done - begin)
    if done < size:
        raise GatewayError("TRANSFER_BROKEN", f"The download broke off after {done} of {size} bytes. Call again to go on.")


def _websockets() -> Any:
    try:
        return importlib.import_module("websockets")
    except ImportError:
        raise ImportError("Streams need the package websockets: python3 -m pip install websockets") from None
