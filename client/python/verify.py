#!/usr/bin/env python3
"""Checks a package of evidence: is it as it was signed, by whom, when, and what differs.

    python3 verify.py roof.zip [--json] [--fingerprint sha256:...] [--authority authority.pem]

It needs Python 3.9 or newer, no gateway and no network. The signature is checked where the package `cryptography` is installed; without it the
program says so. It reads what docs/evidence.md describes, and shares no line with `slm verify`.

Exit code 0: whole. 1: it differs. 2: it is no package. 3: nothing differs, but something could not be checked.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import json
import os
import re
import struct
import sys
import zlib
from datetime import datetime, timedelta, timezone
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple

MANIFEST = "manifest.json"
ENVELOPE = "signature/envelope.json"
PUBLIC_KEY = "signature/public-key.pem"
TIMESTAMP = "signature/timestamp.tsr"
SEALS = "seals.json"
CHECKS_SUFFIX = ".checks.json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:slm-gateway:evidence:1"
ATTACHED = "attached"
SPKI = bytes.fromhex("302a300506032b6570032100")

IN_LARGE = 0xFFFFFFFF
COUNT_IN_LARGE = 0xFFFF
END_BYTES = 22
LARGE_END_BYTES = 76
ENTRY_BYTES = 46
MOST_ENTRIES = 200_000
LARGE_SUM = 1024**3
MOST_RATIO = 250
MOST_WHOLE = 64 * 1024 * 1024
LONGEST_LINE = 1_048_576
MOST_NAMED = 20
ROW_BYTES = 4
PIECE = 262_144

Difference = Dict[str, Any]


class Damaged(Exception):
    """An entry that cannot be read as it says."""


def differs(file: Optional[str], what: str, line: Optional[int] = None, fields: Optional[List[str]] = None) -> Difference:
    """As the report has it: `line` is the line of the file, where the header is line 1."""
    found: Difference = {"file": file}
    if line is not None:
        found["line"] = line
    if fields:
        found["fields"] = fields
    found["what"] = what
    return found


# ---- the ZIP: every byte around the files must be what the gateway writes ----


class Record:
    """An entry of the directory of the ZIP."""

    def __init__(self, path: str, method: int, crc: int, packed: int, size: int, offset: int, time: int) -> None:
        self.path, self.method, self.crc = path, method, crc
        self.packed, self.size, self.offset, self.time = packed, size, offset, time
        self.name = path.encode()

    @property
    def large(self) -> bool:
        return max(self.packed, self.size, self.offset) >= IN_LARGE

    def local_header(self) -> bytes:
        head = struct.pack("<IHHHIIIIHH", 0x04034B50, 20, 0x0808, 8, dos_time(self.time), 0, 0, 0, len(self.name), 0)
        return head + self.name

    def descriptor(self) -> bytes:
        form = "<IIQQ" if self.large else "<IIII"
        return struct.pack(form, 0x08074B50, self.crc, self.packed, self.size)

    def directory_entry(self) -> bytes:
        packed, size, offset = (IN_LARGE,) * 3 if self.large else (self.packed, self.size, self.offset)
        extra = struct.pack("<HHBI", 0x5455, 5, 3, self.time)
        if self.large:
            extra += struct.pack("<HHQQQ", 1, 24, self.size, self.packed, self.offset)
        head = struct.pack("<IHHHHII", 0x02014B50, 0x033F, 45 if self.large else 20, 0x0808, 8, dos_time(self.time), self.crc)
        sizes = struct.pack("<IIHHHHHII", packed, size, len(self.name), len(extra), 0, 0, 0, 0o100644 << 16, offset)
        return head + sizes + self.name + extra


def dos_time(seconds: int) -> int:
    time = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    date = ((time.year - 1980) << 9) | (time.month << 5) | time.day
    return ((date & 0xFFFF) << 16) | (time.hour << 11) | (time.minute << 5) | (time.second >> 1)


def zip_end(count: int, size: int, offset: int) -> bytes:
    large = count >= COUNT_IN_LARGE or size >= IN_LARGE or offset >= IN_LARGE
    records = b""
    if large:
        records = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 0x033F, 45, 0, 0, count, count, size, offset)
        records += struct.pack("<IIQI", 0x07064B50, 0, offset + size, 1)
    small = min(count, COUNT_IN_LARGE)
    return records + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, small, small, min(size, IN_LARGE), min(offset, IN_LARGE), 0)


class Zip:
    """What a ZIP holds, and what about it is not as the gateway writes it."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = file.seek(0, os.SEEK_END)
        self.faults: List[Difference] = []
        self.entries: Dict[str, Record] = {}

    def read(self, offset: int, length: int) -> bytes:
        self.file.seek(max(0, offset))
        return self.file.read(max(0, length))

    def open(self) -> bool:
        """False where there is no ZIP to be read."""
        end = self._read_end()
        if end is None:
            return False
        count, size, offset = end
        if count > MOST_ENTRIES:
            self.faults.append(differs(None, f"it has {count} files, more than a package may"))
            return True
        data = self.read(offset, size)
        records: List[Record] = []
        at = 0
        for n in range(count):
            record, length = record_at(data, at)
            if record is None:
                self.faults.append(differs(None, f"the directory of the ZIP is damaged at entry {n + 1} of {count}"))
                self._take(records)
                return True
            if data[at : at + length] != record.directory_entry():
                self.faults.append(differs(record.path, entry_fault(data, at, record)))
            records.append(record)
            at += length
        if at != size:
            self.faults.append(differs(None, f"bytes after the directory of the ZIP belong to no file ({size - at})"))
        self._layout(records, offset)
        total = sum(record.size for record in records)
        if total > LARGE_SUM and total > self.size * MOST_RATIO:
            self.faults.append(differs(None, f"it would unpack to {total} bytes, {round(total / self.size)} times its size"))
            return True
        self._take(records)
        return True

    def content(self, record: Record) -> Iterator[bytes]:
        """Raises Damaged where it cannot be unpacked, is longer or shorter than stated, or its check sum is wrong."""
        if record.method != 8:
            raise Damaged("it is not packed as the gateway packs")
        at = record.offset + 30 + len(record.name)
        end = at + record.packed
        unpack = zlib.decompressobj(-15)
        seen = crc = 0
        try:
            while at < end and not unpack.eof:
                data = self.read(at, min(PIECE, end - at))
                if not data:
                    break
                at += len(data)
                while data and not unpack.eof:
                    piece = unpack.decompress(data, PIECE)
                    data = unpack.unconsumed_tail
                    seen += len(piece)
                    if seen > record.size:
                        raise Damaged(f"it unpacks to more bytes than stated ({record.size})")
                    crc = zlib.crc32(piece, crc)
                    yield piece
        except zlib.error:
            raise Damaged("its packed content is damaged") from None
        if not unpack.eof or unpack.unused_data or at < end:
            raise Damaged("its packed content is damaged")
        if seen < record.size:
            raise Damaged(f"its size in bytes is {seen} in place of {record.size}")
        if crc != record.crc:
            raise Damaged("its check sum in the ZIP is wrong")

    def _read_end(self) -> Optional[Tuple[int, int, int]]:
        tail = self.read(self.size - 65_557, min(self.size, 65_557))
        place = tail.rfind(b"PK\x05\x06", 0, max(0, len(tail) - END_BYTES + 4))
        if place < 0:
            return None
        at = self.size - len(tail) + place
        behind = self.size - at - END_BYTES
        if behind > 0:
            self.faults.append(differs(None, f"bytes after the end of the ZIP belong to no file ({behind})"))
        count, size, offset = struct.unpack_from("<HII", tail, place + 10)
        length = END_BYTES
        if count == COUNT_IN_LARGE or size == IN_LARGE or offset == IN_LARGE:
            large = self.read(at - LARGE_END_BYTES, LARGE_END_BYTES)
            if len(large) < LARGE_END_BYTES or large[:4] != b"PK\x06\x06":
                return None
            count, size, offset = struct.unpack_from("<QQQ", large, 32)
            length += LARGE_END_BYTES
        begin = at + END_BYTES - length
        if offset + size > begin:
            return None
        gap = begin - offset - size
        if gap > 0:
            self.faults.append(differs(None, f"bytes before the end of the ZIP belong to no file ({gap}; a second directory?)"))
        if self.read(begin, length) != zip_end(count, size, offset):
            self.faults.append(differs(None, "the end of the ZIP is not as the gateway writes it"))
        return count, size, offset

    def _layout(self, records: List[Record], directory: int) -> None:
        at = 0
        for record in records:
            if record.offset > at:
                self.faults.append(differs(record.path, f"bytes before it belong to no file ({record.offset - at})"))
            if record.offset < at:
                self.faults.append(differs(record.path, "it lies over another file in the ZIP, or the files are in another order"))
            header = record.local_header()
            if self.read(record.offset, len(header)) != header:
                self.faults.append(differs(record.path, "its header in the ZIP is not as the gateway writes it"))
            after = record.descriptor()
            if self.read(record.offset + len(header) + record.packed, len(after)) != after:
                self.faults.append(differs(record.path, "the record after it in the ZIP is not as the gateway writes it"))
            at = max(at, record.offset + len(header) + record.packed + len(after))
        if at != directory:
            self.faults.append(differs(None, f"bytes before the directory belong to no file ({abs(directory - at)})"))

    def _take(self, records: List[Record]) -> None:
        for record in records:
            if not is_plain_path(record.path):
                self.faults.append(differs(record.path, "its name leads out of the folder"))
            if record.path in self.entries:
                self.faults.append(differs(record.path, "it is there twice"))
            else:
                self.entries[record.path] = record


def record_at(data: bytes, at: int) -> Tuple[Optional[Record], int]:
    if at + ENTRY_BYTES > len(data) or data[at : at + 4] != b"PK\x01\x02":
        return None, 0
    name, extra, comment = struct.unpack_from("<HHH", data, at + 28)
    length = ENTRY_BYTES + name + extra + comment
    if at + length > len(data):
        return None, 0
    (method,) = struct.unpack_from("<H", data, at + 10)
    crc, packed, size = struct.unpack_from("<III", data, at + 16)
    (offset,) = struct.unpack_from("<I", data, at + 42)
    name_end = at + ENTRY_BYTES + name
    time = struct.unpack_from("<I", data, name_end + 5)[0] if extra >= 9 else 0
    if max(packed, size, offset) >= IN_LARGE and extra >= 9 + 28:
        size, packed, offset = struct.unpack_from("<QQQ", data, name_end + 13)
    path = data[at + ENTRY_BYTES : name_end].decode(errors="replace")
    return Record(path, method, crc, packed, size, offset, time), length


def entry_fault(data: bytes, at: int, record: Record) -> str:
    if struct.unpack_from("<H", data, at + 40)[0] & 0o170000 == 0o120000:
        return "it is a link"
    if struct.unpack_from("<H", data, at + 8)[0] % 2 == 1:
        return "it is locked by a password"
    if record.method != 8:
        return "it is not packed as the gateway packs"
    return "its entry in the directory of the ZIP is not as the gateway writes it"


def is_plain_path(path: str) -> bool:
    if re.search("[\x00-\x1f\x7f\\\\\ufffd]", path) or re.match("[A-Za-z]:", path):
        return False
    return all(step not in ("", ".", "..") for step in path.split("/"))


# ---- JSON in its one proper form ----


def canonical(data: bytes) -> Any:
    """None where it is not JSON in canonical form: keys sorted, no spaces."""

    def refuse(_: str) -> None:
        raise ValueError

    try:
        text = data.decode()
        value = json.loads(text, parse_constant=refuse)
        return value if canonical_text(value) == text else None
    except (ValueError, RecursionError):
        return None


def canonical_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def has(value: Any, names: List[str]) -> bool:
    return isinstance(value, dict) and sorted(value) == sorted(names)


def are_texts(value: Any, names: List[str]) -> bool:
    return has(value, names) and all(isinstance(value[name], str) for name in names)


def base64_bytes(text: str) -> Optional[bytes]:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


def manifest_in(data: bytes) -> Any:
    value = canonical(data)
    if not has(value, ["format", "unit_id", "gateway", "key", "query", "files"]) or value["format"] != "slm-evidence/1":
        return None
    if not isinstance(value["unit_id"], str) or not are_texts(value["gateway"], ["version"]):
        return None
    query, files = value["query"], value["files"]
    if not are_texts(value["key"], ["fingerprint"]) or not has(query, ["from", "to", "timezone", "include"]):
        return None
    if not all(isinstance(query[name], str) for name in ("from", "to", "timezone")) or not isinstance(query["include"], list):
        return None
    if not isinstance(files, list) or not all(is_file(file) for file in files):
        return None
    paths = [file["path"].encode("utf-16-be") for file in files]
    return value if all(a < b for a, b in zip(paths, paths[1:])) else None


def is_file(value: Any) -> bool:
    if not has(value, ["path", "bytes", "sha256"]) or not are_texts({k: value[k] for k in ("path", "sha256")}, ["path", "sha256"]):
        return False
    return type(value["bytes"]) is int and is_plain_path(value["path"]) and bool(re.fullmatch("[0-9a-f]{64}", value["sha256"]))


# ---- the signature ----


class Envelope:
    """What the envelope says, and whether it is signed by the key beside it. `valid` None: it cannot be checked here."""

    def __init__(self, envelope: bytes, pem: bytes) -> None:
        self.differences: List[Difference] = []
        self.at: Optional[str] = None
        self.manifest: Optional[str] = None
        self.predicate: Any = None
        self.valid: Optional[bool] = False
        self.signature: Optional[bytes] = None
        self.said_of_stamp: Optional[str] = None
        key = key_in(pem)
        if key is None:
            self.differences.append(differs(PUBLIC_KEY, "it is no public key of Ed25519"))
        self.by = f"sha256:{hashlib.sha256(key).hexdigest()}" if key else None
        value = canonical(envelope)
        payload = base64_bytes(value["payload"]) if is_envelope(value) else None
        statement = canonical(payload) if payload is not None else None
        signature = base64_bytes(value["signatures"][0]["sig"]) if is_envelope(value) else None
        if payload is None or not is_statement(statement) or not signature:
            self.differences.append(differs(ENVELOPE, "it is no envelope as the gateway writes it"))
            return
        self.signature = signature
        keyid = value["signatures"][0]["keyid"]
        if keyid != self.by:
            self.differences.append(differs(ENVELOPE, f"it is signed by {keyid}, not by the key in the package"))
        head = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} ".encode()
        self.valid = is_signed(key[len(SPKI) :], head + payload, signature) if key else False
        if self.valid is False:
            self.differences.append(differs(ENVELOPE, "its signature does not fit the key in the package"))
        self.predicate = statement["predicate"]
        self.at = self.predicate["signed_at"]
        self.said_of_stamp = self.predicate.get("stamp")
        self.manifest = statement["subject"][0]["digest"]["sha256"]


def key_in(pem: bytes) -> Optional[bytes]:
    form = rb"-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]{60})\n-----END PUBLIC KEY-----\n"
    found = re.fullmatch(form, pem)
    key = base64_bytes(found.group(1).decode()) if found else None
    return key if key and len(key) == len(SPKI) + 32 and key.startswith(SPKI) else None


def is_signed(key: bytes, message: bytes, signature: bytes) -> Optional[bool]:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return None
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def is_envelope(value: Any) -> bool:
    if not has(value, ["payloadType", "payload", "signatures"]) or value["payloadType"] != PAYLOAD_TYPE:
        return False
    signatures = value["signatures"]
    if not isinstance(value["payload"], str) or not isinstance(signatures, list) or len(signatures) != 1:
        return False
    return are_texts(signatures[0], ["keyid", "sig"])


def is_statement(value: Any) -> bool:
    if not has(value, ["_type", "subject", "predicateType", "predicate"]):
        return False
    subject = value["subject"]
    if value["_type"] != STATEMENT_TYPE or value["predicateType"] != PREDICATE_TYPE or not isinstance(subject, list):
        return False
    if len(subject) != 1 or not has(subject[0], ["name", "digest"]) or subject[0]["name"] != MANIFEST:
        return False
    names = ["signed_at", "unit_id", "from", "to"]
    predicate = value["predicate"]
    return are_texts(subject[0]["digest"], ["sha256"]) and (are_texts(predicate, names) or are_texts(predicate, names + ["stamp"]))


# ---- the time stamp (RFC 3161) ----

Der = Tuple[int, bytes, bytes]  # tag, content, the whole value


def values_in(data: bytes) -> List[Der]:
    """DER: tag, length, content, one after another. Raises ValueError where a length does not fit or is longer than it needs to be."""
    values, at = [], 0
    while at < len(data):
        first = data[at + 1] if at + 1 < len(data) else 0x80
        digits = 0 if first < 0x80 else first - 0x80
        begin = at + 2 + digits
        if data[at] & 0x1F == 0x1F or first == 0x80 or digits > 3:
            raise ValueError
        length = first if digits == 0 else int.from_bytes(data[at + 2 : begin], "big")
        if digits and length < (0x80 if digits == 1 else 256 ** (digits - 1)) or begin + length > len(data):
            raise ValueError
        values.append((data[at], data[begin : begin + length], data[at : begin + length]))
        at = begin + length
    return values


def inside(value: Der, tag: int, count: Optional[int] = None) -> List[Der]:
    found = values_in(value[1]) if value[0] == tag else []
    if value[0] != tag or (count is not None and len(found) != count):
        raise ValueError
    return found


def require_der(data: bytes, depth: int = 0) -> List[Der]:
    if depth > 32:
        raise ValueError
    values = values_in(data)
    for tag, content, _ in values:
        if tag & 0x20:
            require_der(content, depth + 1)
    return values


def oid(value: Der) -> str:
    return value[1].hex() if value[0] == 6 else ""


SIGNED_DATA = "2a864886f70d010702"
TST_INFO = "2a864886f70d0109100104"
CONTENT_TYPE = "2a864886f70d010903"
MESSAGE_DIGEST = "2a864886f70d010904"
SIGNING_CERTIFICATE = "2a864886f70d010910020c"
SIGNING_CERTIFICATE_V2 = "2a864886f70d010910022f"
EXTENDED_KEY_USAGE = "551d25"
BASIC_CONSTRAINTS = "551d13"
KEY_USAGE = "551d0f"
TIME_STAMPING = "2b06010505070308"
HASHES = {"608648016503040201": "sha256", "608648016503040202": "sha384", "608648016503040203": "sha512"}
RSA_PLAIN = "2a864886f70d010101"
RSA_PSS = "2a864886f70d01010a"
RSA_WITH = {"2a864886f70d01010b": "sha256", "2a864886f70d01010c": "sha384", "2a864886f70d01010d": "sha512"}
ECDSA_WITH = {"2a8648ce3d040302": "sha256", "2a8648ce3d040303": "sha384", "2a8648ce3d040304": "sha512"}
CURVES = {"secp256r1", "secp384r1", "secp521r1"}
ED25519 = "2b6570"
NAMES = {"550403": "CN", "550406": "C", "550407": "L", "550408": "ST", "55040a": "O", "55040b": "OU"}
CLOCKS = timedelta(minutes=5)
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def algorithm_of(value: Der) -> Tuple[str, Optional[Der]]:
    """OID in hex and its parameters; NULL counts as none."""
    name, *more = inside(value, 0x30)
    if len(more) > 1:
        raise ValueError
    return oid(name), more[0] if more and more[0][2] != b"\x05\x00" else None


def time_of(value: Der) -> datetime:
    form = rb"(\d\d|\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z"
    found = re.fullmatch(form, value[1])
    if not found or value[0] not in (0x17, 0x18):
        raise ValueError
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    if len(found[1]) == 2:
        year += 1900 if year >= 50 else 2000
    micros = int((found[7] or b"0").ljust(6, b"0")[:6])
    return datetime(year, month, day, hour, minute, second, micros, tzinfo=timezone.utc)


def text_of(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class Certificate:
    """What is needed of a certificate (RFC 5280). Raises ValueError where it is none."""

    def __init__(self, der: bytes) -> None:
        (whole,) = require_der(der)
        tbs, self.algorithm, value = inside(whole, 0x30, 3)
        fields = inside(tbs, 0x30)
        if fields[0][0] == 0xA0:
            fields = fields[1:]
        serial, _, issuer, validity, subject, spki, *more = fields
        begin, end = inside(validity, 0x30, 2)
        if value[0] != 3 or value[1][:1] != b"\0":
            raise ValueError
        self.der, self.signed, self.signature = der, tbs[2], value[1][1:]
        self.serial, self.issuer, self.subject, self.spki = serial[2], issuer[2], subject[2], spki[2]
        self.begin, self.end = time_of(begin), time_of(end)
        self.fingerprint = f"sha256:{hashlib.sha256(der).hexdigest()}"
        self.name = UNPRINTABLE.sub("?", ", ".join(self._names(subject)))[:500]
        self.extensions: Dict[str, Tuple[bool, bytes]] = {}
        for field in more:
            if field[0] == 0xA3:
                for name, *flags, content in (inside(each, 0x30) for each in inside(inside(field, 0xA3, 1)[0], 0x30)):
                    self.extensions[oid(name)] = (bool(flags) and flags[0][1] != b"\0", content[1])

    @staticmethod
    def _names(subject: Der) -> Iterator[str]:
        for group in inside(subject, 0x30):
            for pair in inside(group, 0x31):
                name, value = inside(pair, 0x30, 2)
                codec = {0x1E: "utf-16-be", 0x0C: "utf-8"}.get(value[0], "latin-1")
                yield f"{NAMES.get(oid(name)) or dotted(name[1])}={value[1].decode(codec, 'replace')}"

    def is_for_stamps(self) -> bool:
        critical, content = self.extensions.get(EXTENDED_KEY_USAGE, (False, b""))
        return critical and [oid(use) for use in inside(values_in(content)[0], 0x30)] == [TIME_STAMPING]

    def may_issue(self) -> bool:
        constraints = self.extensions.get(BASIC_CONSTRAINTS)
        if constraints is None or [value[:2] for value in inside(values_in(constraints[1])[0], 0x30)][:1] != [(1, b"\xff")]:
            return False
        usage = self.extensions.get(KEY_USAGE)
        return usage is None or bool(values_in(usage[1])[0][1][1] & 0x04)


def dotted(content: bytes) -> str:
    numbers, number = [], 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers, number = numbers + [number], 0
    first = min(numbers[0] // 40, 2)
    return ".".join(str(n) for n in [first, numbers[0] - 40 * first, *numbers[1:]])


def is_signed_by(spki: bytes, algorithm: Der, plain_hash: Optional[str], message: bytes, signature: bytes) -> Optional[bool]:
    """None: the package cryptography is not installed. An algorithm that is not in the tables counts as a signature that does not fit."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
    except ImportError:
        return None
    kinds: Dict[str, Any] = {"sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
    name, parameters = algorithm_of(algorithm)
    try:
        key: Any = serialization.load_der_public_key(spki)
        if name == RSA_PSS and isinstance(key, rsa.RSAPublicKey):
            digest, salt = pss_of(parameters)
            key.verify(signature, message, padding.PSS(padding.MGF1(kinds[digest]), salt), kinds[digest])
            return True
        if parameters is not None:
            return False
        digest = plain_hash if name == RSA_PLAIN else RSA_WITH.get(name)
        if digest and isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, message, padding.PKCS1v15(), kinds[digest])
            return True
        if name in ECDSA_WITH and isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name in CURVES:
            key.verify(signature, message, ec.ECDSA(kinds[ECDSA_WITH[name]]))
            return True
        if name == ED25519 and isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, message)
            return True
        return False
    except InvalidSignature:
        return False
    except Exception:  # Whatever the package says of a key that is none.
        return False


def pss_of(parameters: Optional[Der]) -> Tuple[str, int]:
    """`{[0] hash, [1] mask, [2] bytes of salt}`; the mask has to be of the same hash."""
    if parameters is None:
        raise ValueError
    first, second, third = inside(parameters, 0x30, 3)
    digest, none = algorithm_of(inside(first, 0xA0, 1)[0])
    mask = inside(inside(second, 0xA1, 1)[0], 0x30, 2)[1]
    if none is not None or algorithm_of(mask) != (digest, None):
        raise ValueError
    return HASHES[digest], int.from_bytes(inside(third, 0xA2, 1)[0][1], "big")


class Stamp:
    """The parts of a stamp as packages keep it. Raises ValueError or IndexError where it is none."""

    def __init__(self, data: bytes) -> None:
        (whole,) = require_der(data)
        status, token = inside(whole, 0x30, 2)
        kind, tagged = inside(token, 0x30, 2)
        version, digests, about, certificates, signers = inside(inside(tagged, 0xA0, 1)[0], 0x30, 5)
        content_type, content_tag = inside(about, 0x30, 2)
        (content,) = inside(content_tag, 0xA0, 1)
        (signer,), (digest,) = inside(signers, 0x31), inside(digests, 0x31)
        number, sid, own_digest, attributes, self.algorithm, signature = inside(signer, 0x30, 6)
        proper = status[2] == bytes.fromhex("3003020100") and (oid(kind), oid(content_type)) == (SIGNED_DATA, TST_INFO)
        if not proper or version[2] != b"\x02\x01\x03" or number[2] != b"\x02\x01\x01" or content[0] != 4 or signature[0] != 4:
            raise ValueError
        if own_digest[2] != digest[2] or attributes[0] != 0xA0:
            raise ValueError
        digest_name, none = algorithm_of(digest)
        self.hash = HASHES.get(digest_name) if none is None else None
        self.content, self.signature = content[1], signature[1]
        self.attributes = b"\x31" + attributes[2][1:]
        self.values: Dict[str, List[bytes]] = {}
        for attribute in inside(attributes, 0xA0):
            name, values = inside(attribute, 0x30, 2)
            self.values.setdefault(oid(name), []).extend(value[2] for value in inside(values, 0x31))
        (info,) = require_der(self.content)
        _, _, imprint, _, time, *_ = inside(info, 0x30)
        (algorithm, self.imprint), self.at = inside(imprint, 0x30, 2), time_of(time)
        self.imprint_hash = algorithm_of(algorithm)[0]
        issuer, serial = inside(sid, 0x30, 2)
        found = [Certificate(each[2]) for each in inside(certificates, 0xA0)]
        ours = [each for each in found if (each.issuer, each.serial) == (issuer[2], serial[2])]
        self.certificate = ours[0] if ours else None
        self.others = [each for each in found if each is not self.certificate]

    def only(self, name: str) -> Optional[Der]:
        values = self.values.get(name, [])
        return values_in(values[0])[0] if len(values) == 1 else None

    def names(self, certificate: Certificate) -> bool:
        """Whether the attribute that binds the signature to a certificate is of this one (RFC 2634, RFC 5035)."""
        newer = self.only(SIGNING_CERTIFICATE_V2)
        value = newer or self.only(SIGNING_CERTIFICATE)
        if value is None:
            return False
        fields = inside(inside(inside(value, 0x30)[0], 0x30)[0], 0x30)
        name = "sha256" if newer else "sha1"
        if fields[0][0] == 0x30:
            name = HASHES.get(algorithm_of(fields[0])[0], "") if newer else ""
            fields = fields[1:]
        return bool(name) and fields[0][0] == 4 and fields[0][1] == hashlib.new(name, certificate.der).digest()

    def has_signed_content(self) -> bool:
        digest, kind = self.only(MESSAGE_DIGEST), self.only(CONTENT_TYPE)
        if digest is None or kind is None or self.hash is None or oid(kind) != TST_INFO or digest[0] != 4:
            return False
        return digest[1] == hashlib.new(self.hash, self.content).digest()

    def chain(self, certificate: Certificate) -> Tuple[List[Certificate], Optional[bool]]:
        """From the certificate upwards, and whether each is signed by the next, the last one of several by itself, and none is left over."""
        chain, rest, unknown = [certificate], self.others, False
        while chain[-1].issuer != chain[-1].subject:
            above = [each for each in rest if each.subject == chain[-1].issuer]
            if not above:
                break
            fits = is_issued_by(chain[-1], above[0])
            if fits is False:
                return chain, False
            unknown = unknown or fits is None
            rest = [each for each in rest if each is not above[0]]
            chain.append(above[0])
        top = chain[-1]
        own = is_issued_by(top, top) if top is not certificate else True
        if own is False or rest:
            return chain, False
        return chain, None if unknown or own is None else True


def is_issued_by(child: Certificate, parent: Certificate) -> Optional[bool]:
    if child.issuer != parent.subject or not parent.may_issue():
        return False
    return is_signed_by(parent.spki, child.algorithm, None, child.signed, child.signature)


def certificates_of(pem: str) -> List[Certificate]:
    """Raises ValueError where there is none, or one cannot be read."""
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----", pem)
    if not blocks:
        raise ValueError("it holds no certificate (PEM)")
    found = []
    for n, block in enumerate(blocks):
        try:
            found.append(Certificate(base64.b64decode("".join(block.split()), validate=True)))
        except (ValueError, IndexError):
            raise ValueError(f"its certificate {n + 1} cannot be read") from None
    return found


def leads_to(chain: List[Certificate], authorities: List[Certificate], at: datetime) -> Optional[bool]:
    """Whether the chain holds one of these, or its last one was issued by one that was valid then."""
    if {each.der for each in chain} & {each.der for each in authorities}:
        return True
    found = [is_issued_by(chain[-1], each) for each in authorities if each.begin <= at <= each.end]
    return True if True in found else None if None in found else False


def stamp_fault(
    stamp: Stamp, signature: Optional[bytes], signed_at: Optional[str], authorities: Optional[List[Certificate]]
) -> Optional[str]:
    """Why it does not hold; None: nothing speaks against it. An empty text: its signature cannot be checked here."""
    certificate = stamp.certificate
    imprint = hashlib.sha256(signature or b"").digest()
    if not signature or HASHES.get(stamp.imprint_hash) != "sha256" or stamp.imprint[:2] != (4, imprint):
        return "it is the stamp of another signature"
    if certificate is None:
        return "the certificate of who stamped is not in it"
    if not certificate.is_for_stamps():
        return "its certificate is not one for time stamps alone"
    if not stamp.names(certificate):
        return "it names another certificate than the one in it"
    if not stamp.has_signed_content():
        return "its content is not the one that was signed"
    signed = is_signed_by(certificate.spki, stamp.algorithm, stamp.hash, stamp.attributes, stamp.signature)
    if signed is False:
        return "its signature does not fit its certificate"
    chain, fits = stamp.chain(certificate)
    if fits is False:
        return "its certificates do not lead up to one that signed itself"
    if not all(each.begin <= stamp.at <= each.end for each in chain):
        return f"its certificate was not valid at {text_of(stamp.at)}"
    moment = moment_of(signed_at) if signed_at else None
    if moment and stamp.at < moment - CLOCKS:
        return f"it says {text_of(stamp.at)}, before the signature was made"
    known = leads_to(chain, authorities, stamp.at) if authorities is not None else True
    if known is False:
        return "its certificate does not lead to an authority that you named"
    return "" if signed is None or fits is None or known is None else None


# ---- tables, and the tree of RFC 6962 ----


def written_values(line: str) -> List[str]:
    """The values of a line of CSV as they are written: a comma in quotes divides nothing."""
    if '"' not in line:
        return line.split(",")
    values, begin, quoted = [], 0, False
    for at, letter in enumerate(line + ","):
        if letter == '"':
            quoted = not quoted
        if letter == "," and (not quoted or at == len(line)):
            values.append(line[begin:at])
            begin = at + 1
    return values


class Table:
    """The checks of a table from its pieces."""

    def __init__(self, on_row: Callable[[bytes], None] = lambda _: None) -> None:
        self.rows = bytearray()
        self.names: Optional[List[str]] = None
        self.hashes: List[Any] = []
        self.rest = b""
        self.on_row = on_row

    def add(self, piece: bytes) -> None:
        *lines, self.rest = (self.rest + piece).split(b"\n")
        if len(self.rest) > LONGEST_LINE:
            raise Damaged("it has a line that is too long for a table")
        for line in lines:
            self._line(line.decode(errors="replace"))

    def end(self) -> Tuple[bytes, Dict[str, str]]:
        if self.rest:
            self.add(b"\n")
        names = self.names or []
        return bytes(self.rows), {name: value.hexdigest() for name, value in zip(names, self.hashes)}

    def _line(self, line: str) -> None:
        values = written_values(line)
        if self.names is None:
            self.names = values
            self.hashes = [hashlib.sha256() for _ in values]
            return
        data = line.encode()
        self.on_row(data)
        first = not self.rows
        self.rows += hashlib.sha256(data).digest()[:ROW_BYTES]
        for n, column in enumerate(self.hashes):
            column.update(("" if first else "\n").encode() + (values[n] if n < len(values) else "").encode())


class Tree:
    """The root of lines that come one after another."""

    def __init__(self) -> None:
        self.full: List[Tuple[int, bytes]] = []
        self.count = 0

    def add(self, line: bytes) -> None:
        size, node = 1, hashlib.sha256(b"\0" + line).digest()
        while self.full and self.full[-1][0] == size:
            node = hashlib.sha256(b"\1" + self.full.pop()[1] + node).digest()
            size *= 2
        self.full.append((size, node))
        self.count += 1

    def root(self) -> str:
        if not self.full:
            return hashlib.sha256().hexdigest()
        node = self.full[-1][1]
        for _, left in reversed(self.full[:-1]):
            node = hashlib.sha256(b"\1" + left + node).digest()
        return node.hex()


def table_differences(file: str, checks: Any, rows: bytes, columns: Dict[str, str]) -> List[Difference]:
    before = base64_bytes(checks["rows"]) or b""
    lost = [name for name in checks["columns"] if name not in columns]
    found = [name for name in columns if name not in checks["columns"]]
    if lost or found:
        return [differs(file, "the names of the columns are not those that were signed", 1, lost + found)]
    old, new = ([data[at : at + ROW_BYTES] for at in range(0, len(data), ROW_BYTES)] for data in (before, rows))
    lines = [n + 2 for n in range(max(len(old), len(new))) if old[n : n + 1] != new[n : n + 1]]
    fields = [name for name in columns if checks["columns"].get(name) != columns[name]]
    if len(old) != len(new):
        what = f"it has {len(new)} rows in place of {len(old)}; the first that differs is this"
        return [differs(file, what, lines[0])]
    if not lines:
        return [differs(file, "it is not as it was signed", None, fields)]
    what = "it is in another order" if sorted(old) == sorted(new) else "it is not as it was signed"
    named = [differs(file, what, line, fields) for line in lines[:MOST_NAMED]]
    more = len(lines) - len(named)
    return named + ([differs(file, f"{more} more rows are not as they were signed")] if more > 0 else [])


# ---- the whole ----


class Verifying:
    """One package."""

    def __init__(self, archive: Zip, fingerprint: Optional[str], authorities: Optional[List[Certificate]]) -> None:
        self.zip = archive
        self.authorities = authorities
        self.fingerprint = fingerprint
        self.differences = archive.faults
        self.unchecked: List[str] = []
        self.days: Dict[str, List[Tuple[str, str, int]]] = {}

    def report(self) -> Dict[str, Any]:
        signed = self.signature()
        manifest = self.manifest(signed)
        stamped = self.stamp(signed)
        files = self.files(manifest) if manifest else 0
        seals = self.seals(manifest) if manifest else []
        if signed and signed.valid is None:
            self.unchecked.append("the signature: install the package cryptography, or use slm verify or openssl")
        query = manifest["query"] if manifest else {}
        return {
            "outcome": "differs" if self.differences else "unchecked" if self.unchecked else "whole",
            "unit_id": manifest["unit_id"] if manifest else None,
            "from": query.get("from"),
            "to": query.get("to"),
            "signed": {"by": signed.by, "at": signed.at, "valid": signed.valid} if signed else {"by": None, "at": None, "valid": False},
            "stamped": stamped,
            "not_stamped": signed.said_of_stamp if signed and TIMESTAMP not in self.zip.entries and signed.said_of_stamp != ATTACHED else None,
            "files": files,
            "seals": seals,
            "differences": self.differences,
            "unchecked": self.unchecked,
        }

    def signature(self) -> Optional[Envelope]:
        envelope, key = self.whole(ENVELOPE), self.whole(PUBLIC_KEY)
        if envelope is None or key is None:
            return None
        signed = Envelope(envelope, key)
        self.differences += signed.differences
        if self.fingerprint is not None and signed.by != self.fingerprint:
            self.differences.append(differs(PUBLIC_KEY, f"it is another key: {signed.by or 'none'}, not {self.fingerprint}"))
        return signed

    def manifest(self, signed: Optional[Envelope]) -> Any:
        data = self.whole(MANIFEST)
        if data is None:
            return None
        if not signed or hashlib.sha256(data).hexdigest() != signed.manifest:
            self.differences.append(differs(MANIFEST, "it is not the one that was signed"))
        manifest = manifest_in(data)
        if manifest is None:
            self.differences.append(differs(MANIFEST, "it is no manifest of the format slm-evidence/1"))
            return None
        key = manifest["key"]["fingerprint"]
        if signed and key != signed.by:
            self.differences.append(differs(MANIFEST, f"it is of the key {key}, not of the key in the package"))
        predicate, query = signed.predicate if signed else None, manifest["query"]
        named = (manifest["unit_id"], query["from"], query["to"])
        if predicate and (predicate["unit_id"], predicate["from"], predicate["to"]) != named:
            self.differences.append(differs(MANIFEST, "the signed statement is of another unit or another time"))
        return manifest

    def stamp(self, signed: Optional[Envelope]) -> Any:
        said = signed.said_of_stamp if signed else None
        if TIMESTAMP not in self.zip.entries:
            if said == ATTACHED:
                self.differences.append(differs(TIMESTAMP, "it is missing"))
            if self.authorities is not None:
                self.differences.append(differs(TIMESTAMP, "there is no time stamp of an authority that you named"))
            return None
        if said not in (None, ATTACHED):
            self.differences.append(differs(TIMESTAMP, "it was not there when it was signed"))
        data = self.whole(TIMESTAMP)
        if data is None:
            return {"at": None, "valid": False, "authority": None, "fingerprint": None, "is_known": False}
        try:
            stamp = Stamp(data)
            signature, at = (signed.signature, signed.at) if signed else (None, None)
            fault = stamp_fault(stamp, signature, at, self.authorities)
        except (ValueError, IndexError, KeyError):
            self.differences.append(differs(TIMESTAMP, "it is no time stamp"))
            return {"at": None, "valid": False, "authority": None, "fingerprint": None, "is_known": False}
        if fault:
            self.differences.append(differs(TIMESTAMP, fault))
        elif fault == "":
            self.unchecked.append("the signature of the time stamp: install the package cryptography, or use slm verify or openssl")
        by = stamp.certificate
        valid = True if fault is None else None if fault == "" else False
        named = {"authority": by.name if by else None, "fingerprint": by.fingerprint if by else None}
        return {"at": text_of(stamp.at), "valid": valid, **named, "is_known": self.authorities is not None and valid is True}

    def files(self, manifest: Any) -> int:
        added = self.compare_names(manifest)
        done = 0
        for file in manifest["files"]:
            entry = self.zip.entries.get(file["path"])
            if entry is None:
                continue
            done += 1
            actual = self.hash_of(entry)
            if actual is not None and (actual != file["sha256"] or entry.size != file["bytes"]):
                self.differences += self.named(entry, manifest)
        for entry in added:
            actual = self.hash_of(entry)
            before = [f["path"] for f in manifest["files"] if f["sha256"] == actual and f["path"] not in self.zip.entries]
            what = f"it was {before[0]} when it was signed" if before else "it was not there when it was signed"
            self.differences.append(differs(entry.path, what))
        return done

    def compare_names(self, manifest: Any) -> List[Record]:
        entries = self.zip.entries
        listed = [file["path"] for file in manifest["files"]] + [MANIFEST, ENVELOPE, PUBLIC_KEY, TIMESTAMP]
        known = set(listed)
        for path in listed:
            if path != TIMESTAMP and path not in entries:
                self.differences.append(differs(path, "it is missing"))
        common = [path for path in entries if path in known]
        order = [path for path in listed if path in entries]
        misplaced = [path for path, right in zip(common, order) if path != right]
        if misplaced:
            self.differences.append(differs(misplaced[0], "it is not at its place in the order of the files"))
        end = seconds_of(manifest["query"]["to"])
        for entry in entries.values():
            if entry.time != end:
                self.differences.append(differs(entry.path, "its time in the ZIP is not the end of the span"))
        return [entry for path, entry in entries.items() if path not in known]

    def hash_of(self, entry: Record) -> Optional[str]:
        levels = re.fullmatch(r"levels/(\d{4}-\d\d-\d\d)/([a-z]+)\.csv", entry.path)
        tree = Tree()
        table = Table(tree.add) if levels else None
        whole = hashlib.sha256()
        try:
            for piece in self.zip.content(entry):
                whole.update(piece)
                if table:
                    table.add(piece)
        except Damaged as damage:
            self.differences.append(differs(entry.path, str(damage)))
            return None
        if levels and table:
            table.end()
            self.days.setdefault(levels[1], []).append((levels[2], tree.root(), tree.count))
        return whole.hexdigest()

    def named(self, entry: Record, manifest: Any) -> List[Difference]:
        path = entry.path + CHECKS_SUFFIX
        listed = [file for file in manifest["files"] if file["path"] == path]
        data = self.whole(path) if listed else None
        checks = canonical(data) if data is not None and hashlib.sha256(data).hexdigest() == listed[0]["sha256"] else None
        if not has(checks, ["rows", "columns"]) or not isinstance(checks["rows"], str):
            return [differs(entry.path, "it is not as it was signed")]
        table = Table()
        for piece in self.zip.content(entry):
            table.add(piece)
        return table_differences(entry.path, checks, *table.end())

    def seals(self, manifest: Any) -> List[Dict[str, Any]]:
        if not any(file["path"] == SEALS for file in manifest["files"]):
            return [{"day": day, "version": None, "result": "none"} for day in self.days]
        data = self.whole(SEALS)
        if data is None:
            return []
        try:
            seals = json.loads(data.decode(errors="replace"))
        except (ValueError, RecursionError):
            seals = None
        if not isinstance(seals, list) or not all(is_seal(seal) for seal in seals):
            self.differences.append(differs(SEALS, "it is no list of seals"))
            return []
        for seal in seals:
            if "audit" in seal and not is_record_of(seal["audit"], [seal["day"], seal["root"], seal["version"], seal["rows"]]):
                what = f"the audit record of the seal of {seal['day']}, version {seal['version']}, does not fit it"
                self.differences.append(differs(SEALS, what))
        return [self.sealed(day, kinds, seals, manifest["query"]) for day, kinds in self.days.items()]

    def sealed(self, day: str, kinds: List[Tuple[str, str, int]], seals: List[Any], query: Any) -> Dict[str, Any]:
        ours = sorted((seal for seal in seals if seal["day"] == day), key=lambda seal: -seal["version"])
        if not ours:
            return {"day": day, "version": None, "result": "none"}
        seal = ours[0]
        if not is_whole(day, query):
            return {"day": day, "version": seal["version"], "result": "part"}
        tree = Tree()
        for kind, root, rows in sorted(kinds):
            if rows > 0:
                tree.add(f"{kind} {root} {rows}".encode())
        fits = seal["root"] == tree.root() and seal["rows"] == sum(rows for _, _, rows in kinds)
        if not fits:
            self.differences.append(differs(f"levels/{day}", "the levels do not fit the seal of the day"))
        return {"day": day, "version": seal["version"], "result": "fits" if fits else "differs"}

    def whole(self, path: str) -> Optional[bytes]:
        """None where it is missing or damaged, which is named once."""
        entry = self.zip.entries.get(path)
        if entry is None:
            return None
        try:
            if entry.size > MOST_WHOLE:
                raise Damaged(f"it is longer than {MOST_WHOLE} bytes")
            return b"".join(self.zip.content(entry))
        except Damaged as damage:
            found = differs(path, str(damage))
            if found not in self.differences:
                self.differences.append(found)
            return None


def is_seal(value: Any) -> bool:
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in ("day", "root")):
        return False
    return all(isinstance(value.get(name), (int, float)) and not isinstance(value[name], bool) for name in ("version", "rows"))


def is_record_of(record: Any, named: List[Any]) -> bool:
    """An audit record has a hash of its own over the hash before and its canonical text."""
    if not isinstance(record, dict) or "hash" not in record or "prev" not in record:
        return False
    rest = {name: value for name, value in record.items() if name != "hash"}
    actual = hashlib.sha256(f"{record['prev']}{canonical_text(rest)}".encode()).hexdigest()
    values = list(leaves(rest))
    return actual == record["hash"] and all(value in values for value in named)


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    else:
        yield value


def moment_of(text: str) -> Optional[datetime]:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def seconds_of(text: str) -> Optional[int]:
    moment = moment_of(text)
    return None if moment is None else int(moment.timestamp() // 1)


def is_whole(day: str, query: Any) -> bool:
    """Whether the span has all of a local day."""
    try:
        from zoneinfo import ZoneInfo

        zone = ZoneInfo(query["timezone"])
    except Exception:  # The zone is unknown here: the day cannot be said to be whole.
        return False
    begin, end = moment_of(query["from"]), moment_of(query["to"])
    if begin is None or end is None:
        return False

    def day_of(moment: datetime) -> str:
        return moment.astimezone(zone).date().isoformat()

    cut = day_of(begin) == day and day_of(begin - timedelta(milliseconds=1)) == day
    return not cut and day_of(end) != day


def verify(path: str, fingerprint: Optional[str] = None, authorities: Optional[List[Certificate]] = None) -> Dict[str, Any]:
    """The report, as `slm verify --json` prints it. Raises OSError where the file cannot be read."""
    with open(path, "rb") as file:
        archive = Zip(file)
        what = None
        if not archive.open():
            begins = archive.read(0, 4) == b"PK\x03\x04"
            what = "it begins as a ZIP and has no end: it was cut off, or its end is damaged" if begins else "it is no ZIP"
            what = "the file is empty" if archive.size == 0 else what
        elif MANIFEST not in archive.entries and ENVELOPE not in archive.entries and not archive.faults:
            what = f"it is a ZIP without {MANIFEST}"
        if what is None:
            return Verifying(archive, fingerprint, authorities).report()
        nobody = {"by": None, "at": None, "valid": False}
        nothing = {"unit_id": None, "from": None, "to": None, "signed": nobody, "stamped": None, "not_stamped": None, "files": 0, "seals": []}
        return {"outcome": "not a package", **nothing, "differences": [differs(None, what)], "unchecked": []}


WORDS = {
    "whole": "WHOLE: every file is as it was signed.",
    "differs": "NOT WHOLE: the package differs from what was signed.",
    "not a package": "This is not a package of evidence.",
    "unchecked": "NOTHING DIFFERS, but not everything could be checked.",
}
CODES = {"whole": 0, "differs": 1, "not a package": 2, "unchecked": 3}


def lines_of(report: Dict[str, Any]) -> Iterator[str]:
    yield WORDS[report["outcome"]]
    if report["outcome"] != "not a package":
        signed = report["signed"]
        yield f"Unit {report['unit_id']}, from {report['from']} to {report['to']}, {report['files']} files compared."
        valid = {True: "Signed by", False: "The signature is not valid; key", None: "Signature not checked; key"}[signed["valid"]]
        yield f"{valid} {signed['by']}, at {signed['at']} by the clock of the gateway."
        stamp = report["stamped"]
        yield stamp_line(stamp, report["not_stamped"])
        for seal in report["seals"]:
            yield f"{seal['day']}: seal {seal['result']}" + (f" (version {seal['version']})" if seal["version"] else "")
    for found in report["differences"]:
        line = [f"line {found['line']}"] if "line" in found else []
        yield "Differs: " + ", ".join([found["file"] or "the package", *line, *found.get("fields", [])]) + f": {found['what']}"
    for what in report["unchecked"]:
        yield f"Not checked: {what}"


def stamp_line(stamp: Any, not_stamped: Optional[str]) -> str:
    if not stamp:
        return f"Not stamped: {not_stamped or 'nobody else says when it was signed'}."
    if stamp["valid"] is False:
        return "The time stamp is not valid."
    by = f"{stamp['at']} by {stamp['authority']} (certificate {stamp['fingerprint']})"
    if stamp["is_known"]:
        return f"Stamped at {by}, an authority that you named."
    if stamp["valid"]:
        return f"Stamped at {by}. Whether you trust this authority is for you to say."
    return f"The time stamp is of this signature and says {by}. Its own signature is not checked."


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks a package of evidence, without a gateway and without a network.")
    parser.add_argument("file")
    parser.add_argument("--json", action="store_true", help="the report for a program")
    parser.add_argument("--fingerprint", help="the key that you know to be the gateway's: sha256:...")
    parser.add_argument("--authority", metavar="PEM", help="a file with the certificates of a time stamp authority that you know")
    options = parser.parse_args()
    try:
        authorities = None
        if options.authority is not None:
            with open(options.authority, encoding="utf-8", errors="replace") as file:
                authorities = certificates_of(file.read())
        report = verify(options.file, options.fingerprint, authorities)
    except (OSError, ValueError) as error:
        print(f"verify.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        # Names may come from somebody else: what would move the cursor is taken out.
        print("\n".join(re.sub(r"[^\x20-\x7e\xa1-\U0010ffff]", "?", line) for line in lines_of(report)))
    return CODES[report["outcome"]]


if __name__ == "__main__":
    sys.exit(main())
