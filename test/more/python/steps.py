"""Steps of the test with the Python client: `python3 steps.py STEP BASE FOLDER`. Prints one line of JSON."""

import asyncio
import json
import os
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "client" / "python"))
from slm_gateway import Gateway, GatewayError  # noqa: E402

step, base, folder = sys.argv[1:4]
gateway = Gateway(base)
DAY = datetime(2026, 11, 21, tzinfo=timezone.utc)


def refusal(work):
    try:
        work()
    except GatewayError as error:
        return {"code": error.code, "status": error.status, "text": str(error), "errors": error.errors}
    return None


def measuring():
    gateway.configure("sim-1", name="Roof")
    started = gateway.start("sim-1")
    live = gateway.live("sim-1")
    return {
        "units": [unit["unit_id"] for unit in Gateway(base[: base.index("/api/nl43")]).units()],
        "name": gateway.config("sim-1")["name"],
        "started": started,
        "lp": live["lp"],
        "stopped": gateway.stop("sim-1"),
        "set": gateway.set("sim-1", "lp-interval", preset="1s"),
        "interval": gateway.setting("sim-1", "lp-interval")["lp_interval"],
        "results": sorted(gateway.results("sim-1")),
        "status": gateway.status("sim-1")["measurement_state"],
    }


def errors():
    return {
        "unknown": refusal(lambda: gateway.live("nobody")),
        "wrong": refusal(lambda: gateway.set("sim-1", "frequency-weighting", weighting="X")),
        "nobody": refusal(lambda: Gateway("http://127.0.0.1:9/api").units()),
        "naive": str(_raised(lambda: gateway.history("sim-1", datetime(2026, 11, 21), DAY))),
    }


def _raised(work):
    try:
        work()
    except ValueError as error:
        return error
    return None


def history():
    rows = gateway.history("sim-1", DAY, DAY + timedelta(hours=2), step="1h", quantities=["leq", "l10"])
    day = gateway.indices("sim-1", DAY, DAY + timedelta(days=1), zone="UTC", min_coverage=0.01)["days"][0]
    return {
        "rows": [{**row, "start": row["start"].isoformat()} for row in rows],
        "lnight": day["lnight"],
    }


def pages():
    rules = [f"Rule {number}" for number in range(5)]
    for name in rules:
        rule = {"name": name, "kind": "device", "condition": "unreachable", "units": ["sim-1"]}
        gateway.call("POST", "/_alerts/rules", body=rule)
    found = [rule["name"] for rule in gateway.pages("/_alerts/rules", {"limit": 2})]
    return {"all": sorted(found) == rules, "events": list(gateway.alerts(open=True))}


def download():
    names = [file for file in gateway.files("sim-1", "/NL-43") if file["is_dir"]]
    file = gateway.files("sim-1", names[0]["path"])[0]
    whole = gateway.download("sim-1", file["path"], folder)
    data = whole.path.read_bytes()
    # An earlier try that broke off left these behind.
    again = Path(folder) / "again.rnd"
    with gateway._open("GET", "/sim-1/ftp/file", {"path": file["path"]}) as answer:
        etag = answer.headers["ETag"]
    Path(f"{again}.part").write_bytes(data[:20])
    Path(f"{again}.etag").write_text(etag)
    resumed = gateway.download("sim-1", file["path"], again)
    other = Path(folder) / "other.rnd"
    Path(f"{other}.part").write_bytes(b"of another file")
    Path(f"{other}.etag").write_text('"another"')
    anew = gateway.download("sim-1", file["path"], other)
    return {
        "size": whole.size == file["size"] == len(data),
        "resumed": [resumed.resumed_from, resumed.path.read_bytes() == data],
        "anew": [anew.resumed_from, anew.path.read_bytes() == data],
        "left": sorted(path.name for path in Path(folder).iterdir() if path.suffix in (".part", ".etag")),
        "missing": refusal(lambda: gateway.download("sim-1", "/NL-43/none.rnd", folder)),
    }


def broken():
    """Against a server whose answers end before they are whole, or are none of a gateway."""
    return {
        "download": refusal(lambda: gateway.download("roof", "/NL-43/half.rnd", folder)),
        "answer": refusal(lambda: gateway.live("half")),
        "page": refusal(lambda: gateway.live("page")),
        "left": sorted(path.name for path in Path(folder).iterdir()),
    }


def without_websockets():
    async def first():
        async for event in gateway.events():
            return event

    try:
        asyncio.run(first())
    except ImportError as error:
        return {"error": str(error)}
    return {}


def stream():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

    async def some():
        frames = []
        found = gateway.frames("sim-1")
        async for frame in found:
            frames.append({**frame, "time": frame["time"].isoformat()})
            if len(frames) == 3:
                break
        await found.aclose()
        return frames

    return {"frames": asyncio.run(some())}


def large_fleet():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

    async def first():
        async for event in gateway.events():
            return event

    return {"units": len(asyncio.run(first())["data"])}


# The stand-in lies beside this file; only the steps with streams are to see it.
sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != os.path.dirname(os.path.abspath(__file__))]
print(json.dumps(globals()[step]()))
