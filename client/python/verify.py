#!/usr/bin/env python3
"""Checks a package of evidence: is it as it was signed, by whom, when, and what differs.

    python3 verify.py roof.zip [--json] [--fingerprint sha256:...] [--authority authority.pem]

It needs Python 3.9 or newer, no gateway and no network. Signatures and time stamps are checked where the package `cryptography` is
installed (pip install "cryptography>=42"); without it the program says so. It does what docs/evidence.md describes, as `slm verify`
does, and shares no line with it.

Exit code 0: whole. 1: it differs. 2: it is no package. 3: nothing differs, but something could not be checked.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import struct
import sys
import zipfile
import zlib
from datetime import datetime, timedelta, timezone
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

    HAS_CRYPTOGRAPHY = hasattr(x509.Certificate, "not_valid_after_utc")
except ImportError:
    HAS_CRYPTOGRAPHY = False

MANIFEST, ENVELOPE, PUBLIC_KEY = "manifest.json", "signature/envelope.json", "signature/public-key.pem"
TIMESTAMP, SEALS, CHECKS_SUFFIX = "signature/timestamp.tsr", "seals.json", ".checks.json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
INSTALL = "install the package cryptography, 42 or newer (pip install cryptography), or use slm verify or openssl"
MOST_WHOLE = 64 * 1024 * 1024
LONGEST_LINE = 1_048_576
MOST_NAMED = 20
PIECE = 262_144

Difference = Dict[str, Any]


class Damaged(Exception):
    """An entry that cannot be read as it says."""


def differs(file: Optional[str], what: str, line: Optional[int] = None, fields: Optional[List[str]] = None) -> Difference:
    """As the report has it: `line` is the line of the file, where the header is line 1."""
    place = {"line": line, "fields": fields or None}
    return {"file": file, **{name: value for name, value in place.items() if value is not None}, "what": what}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ---- The ZIP. Programs that unpack read as many ZIP files as they can, and two of them can see two contents in one file. So each byte
# around the packed content is made again from the directory, and compared: it must be what the gateway writes.

IN_LARGE, COUNT_IN_LARGE = 0xFFFFFFFF, 0xFFFF


def time_of(entry: zipfile.ZipInfo) -> int:
    """Seconds since 1970."""
    return int(struct.unpack_from("<I", entry.extra, 5)[0]) if len(entry.extra) >= 9 else 0


def written(entry: zipfile.ZipInfo) -> Tuple[bytes, bytes, bytes]:
    """The header before the content, the record after it, and the entry of the directory, as the gateway writes them."""
    crc, packed, size, offset = entry.CRC, entry.compress_size, entry.file_size, entry.header_offset
    name, large = entry.orig_filename.encode(), max(packed, size, offset) >= IN_LARGE
    when = datetime(1970, 1, 1) + timedelta(seconds=time_of(entry))
    date = ((when.year - 1980) << 9 | when.month << 5 | when.day) & 0xFFFF
    dos = date << 16 | when.hour << 11 | when.minute << 5 | when.second >> 1
    header = struct.pack("<IHHHIIIIHH", 0x04034B50, 20, 0x0808, 8, dos, 0, 0, 0, len(name), 0) + name
    after = struct.pack("<IIQQ" if large else "<IIII", 0x08074B50, crc, packed, size)
    extra = struct.pack("<HHBI", 0x5455, 5, 3, time_of(entry))
    if large:
        extra += struct.pack("<HHQQQ", 1, 24, size, packed, offset)
        packed = size = offset = IN_LARGE
    listed = struct.pack("<IHHHHII", 0x02014B50, 0x033F, 45 if large else 20, 0x0808, 8, dos, crc)
    listed += struct.pack("<IIHHHHHII", packed, size, len(name), len(extra), 0, 0, 0, 0o100644 << 16, offset) + name + extra
    return header, after, listed


def zip_end(count: int, size: int, offset: int) -> bytes:
    records = b""
    if count >= COUNT_IN_LARGE or max(size, offset) >= IN_LARGE:
        records = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 0x033F, 45, 0, 0, count, count, size, offset)
        records += struct.pack("<IIQI", 0x07064B50, 0, offset + size, 1)
    small = min(count, COUNT_IN_LARGE)
    return records + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, small, small, min(size, IN_LARGE), min(offset, IN_LARGE), 0)


class Zip:
    """The entries of a ZIP by their names, and what is not as the gateway writes it. Raises zipfile.BadZipFile where it is no ZIP."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size = file, file.seek(0, os.SEEK_END)
        self.faults: List[Difference] = []
        self.entries: Dict[str, zipfile.ZipInfo] = {}
        entries: List[zipfile.ZipInfo] = []
        try:
            entries = zipfile.ZipFile(file).infolist()
        except (zipfile.BadZipFile, NotImplementedError, UnicodeError) as error:
            if not zipfile.is_zipfile(file):
                raise
            self.fault(None, f"the directory of the ZIP cannot be read ({error})")
            return
        if any(entry.header_offset < 0 for entry in entries):
            raise zipfile.BadZipFile("the directory does not fit into the file")
        total = sum(entry.file_size for entry in entries)
        if len(entries) > 200_000:
            self.fault(None, f"it has {len(entries)} files, more than a package may")
        elif total > 1024**3 and total > self.size * 250:
            self.fault(None, f"it would unpack to {total} bytes, {round(total / self.size)} times its size")
        else:
            try:
                self._compare(entries)
            except (struct.error, OverflowError):
                self.entries.clear()
                self.fault(None, "the directory of the ZIP has numbers that no file can have")

    def fault(self, path: Optional[str], what: str) -> None:
        self.faults.append(differs(path, what))

    def read(self, offset: int, length: int) -> bytes:
        self.file.seek(max(0, offset))
        return self.file.read(length)

    def _compare(self, entries: List[zipfile.ZipInfo]) -> None:
        """Entries lie one after another, then comes the directory, then the end, and nothing else is there."""
        at, directory, changed = 0, bytearray(), []
        for entry in entries:
            path = entry.orig_filename
            header, after, listed = written(entry)
            end = entry.header_offset + len(header) + entry.compress_size
            proper = entry.header_offset == at and self.read(at, len(header)) == header and self.read(end, len(after)) == after
            if not proper:
                self.fault(path, "its place and its records in the ZIP are not as the gateway writes them")
            if not is_plain_path(path):
                self.fault(path, "its name leads out of the folder")
            if path in self.entries:
                self.fault(path, "it is there twice")
            self.entries.setdefault(path, entry)
            at = end + len(after)
            changed.append((path, len(directory), listed))
            directory += listed
        last = zip_end(len(entries), len(directory), at)
        if self.read(at, len(directory) + len(last) + 1) == directory + last:
            return
        self.fault(None, "the directory or the end of the ZIP is not as the gateway writes it")
        for path, begin, listed in changed:
            if self.read(at + begin, len(listed)) != listed:
                self.fault(path, "its entry in the directory of the ZIP is not as the gateway writes it")

    def content(self, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """Raises Damaged where it cannot be unpacked, is longer or shorter than stated, or its check sum is wrong."""
        if entry.compress_type != zipfile.ZIP_DEFLATED:
            raise Damaged("it is not packed as the gateway packs")
        at = entry.header_offset + 30 + len(entry.orig_filename.encode())
        end = at + entry.compress_size
        unpack = zlib.decompressobj(-15)
        seen = crc = 0
        try:
            while at < end and not unpack.eof:
                data = self.read(at, min(PIECE, end - at))
                at = at + len(data) if data else end
                while data and not unpack.eof:
                    piece = unpack.decompress(data, PIECE)
                    data = unpack.unconsumed_tail
                    seen += len(piece)
                    if seen > entry.file_size:
                        raise Damaged(f"it unpacks to more bytes than stated ({entry.file_size})")
                    crc = zlib.crc32(piece, crc)
                    yield piece
        except zlib.error:
            raise Damaged("its packed content is damaged") from None
        if not unpack.eof or unpack.unused_data or at < end:
            raise Damaged("its packed content is damaged")
        if seen < entry.file_size:
            raise Damaged(f"its size in bytes is {seen} in place of {entry.file_size}")
        if crc != entry.CRC:
            raise Damaged("its check sum in the ZIP is wrong")


def is_plain_path(path: str) -> bool:
    if re.search("[\x00-\x1f\x7f\\\\\ufffd]", path) or re.match("[A-Za-z]:", path):
        return False
    return all(step not in ("", ".", "..") for step in path.split("/"))


# ---- JSON in its one proper form: keys sorted, no spaces ----

MANIFEST_FORM = {
    "format": "slm-evidence/1",
    "unit_id": str,
    "gateway": {"version": str},
    "key": {"fingerprint": str},
    "query": {"from": str, "to": str, "timezone": str, "include": list},
    "files": [{"path": str, "bytes": int, "sha256": str}],
}
CHECKS_FORM = {"rows": str, "columns": dict}
ENVELOPE_FORM = {"payloadType": PAYLOAD_TYPE, "payload": str, "signatures": [{"keyid": str, "sig": str}]}
PREDICATE_FORM = {"signed_at": str, "unit_id": str, "from": str, "to": str}
STATEMENT_FORM = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": MANIFEST, "digest": {"sha256": str}}],
    "predicateType": "urn:slm-gateway:evidence:1",
    "predicate": dict,
}


def fits(value: Any, form: Any) -> bool:
    """A form is a type, the one value, a dict with just these names, or a list with the form of each item."""
    if isinstance(form, type):
        return type(value) is form
    if isinstance(form, dict):
        return isinstance(value, dict) and value.keys() == form.keys() and all(fits(value[name], form[name]) for name in form)
    if isinstance(form, list):
        return isinstance(value, list) and all(fits(item, form[0]) for item in value)
    return bool(value == form)


def canonical(data: bytes, form: Any) -> Any:
    """None where it is not JSON of this form, written in its one proper way."""

    def refuse(_: str) -> None:
        raise ValueError

    try:
        text = data.decode()
        value = json.loads(text, parse_constant=refuse)
        return value if canonical_text(value) == text and fits(value, form) else None
    except (ValueError, RecursionError):
        return None


def canonical_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def base64_bytes(text: str) -> Optional[bytes]:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def manifest_in(data: bytes) -> Any:
    manifest = canonical(data, MANIFEST_FORM)
    files = manifest["files"] if manifest else []
    paths = [file["path"].encode("utf-16-be", "surrogatepass") for file in files]
    proper = all(is_plain_path(file["path"]) and re.fullmatch("[0-9a-f]{64}", file["sha256"]) for file in files)
    return manifest if proper and all(a < b for a, b in zip(paths, paths[1:])) else None


# ---- the signature ----


class Envelope:
    """The content of the envelope, and whether the key beside it signed it. `valid` None: it cannot be checked here."""

    def __init__(self, data: bytes, pem: bytes) -> None:
        self.differences: List[Difference] = []
        self.at = self.manifest = self.signature = self.stamp = self.predicate = None
        self.valid: Optional[bool] = False
        key = ed25519_key(pem)
        self.by = f"sha256:{sha256(key)}" if key else None
        if key is None:
            self.differences.append(differs(PUBLIC_KEY, "it is no public key of Ed25519"))
        envelope = canonical(data, ENVELOPE_FORM)
        signed = envelope["signatures"][0] if envelope and len(envelope["signatures"]) == 1 else None
        payload = base64_bytes(envelope["payload"]) if signed else None
        signature = base64_bytes(signed["sig"]) if signed else None
        statement = canonical(payload or b"", STATEMENT_FORM)
        predicate = statement["predicate"] if statement and len(statement["subject"]) == 1 else None
        if not signature or not payload or not fits({"stamp": "", **(predicate or {})}, {**PREDICATE_FORM, "stamp": str}):
            self.differences.append(differs(ENVELOPE, "it is no envelope as the gateway writes it"))
            return
        if signed["keyid"] != self.by:
            self.differences.append(differs(ENVELOPE, f"it is signed by {signed['keyid']}, not by the key in the package"))
        message = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} ".encode() + payload
        if key:
            self.valid = is_signed(lambda: ed25519.Ed25519PublicKey.from_public_bytes(key[12:]).verify(signature, message))
        if self.valid is False:
            self.differences.append(differs(ENVELOPE, "its signature does not fit the key in the package"))
        self.signature, self.predicate = signature, predicate
        self.at, self.stamp = predicate["signed_at"], predicate.get("stamp")
        self.manifest = statement["subject"][0]["digest"]["sha256"]


def ed25519_key(pem: bytes) -> Optional[bytes]:
    """In DER (SPKI, RFC 8410)."""
    found = re.fullmatch(rb"-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]{60})\n-----END PUBLIC KEY-----\n", pem)
    key = base64_bytes(found[1].decode()) if found else None
    return key if key and len(key) == 44 and key.startswith(bytes.fromhex("302a300506032b6570032100")) else None


def is_signed(check: Callable[[], Any]) -> Optional[bool]:
    """Whether `check` finds no fault. None: the package cryptography is not installed."""
    if not HAS_CRYPTOGRAPHY:
        return None
    try:
        return check() is not False
    except Exception:  # InvalidSignature, or whatever the package says of a key that is none.
        return False


# ---- the time stamp (RFC 3161) ----

Der = Tuple[int, bytes, bytes]  # tag, content, the whole value
SEQUENCE, SET, OCTETS, TAGGED_0 = 0x30, 0x31, 0x04, 0xA0
SIGNED_DATA, TST_INFO = "2a864886f70d010702", "2a864886f70d0109100104"
CONTENT_TYPE, MESSAGE_DIGEST = "2a864886f70d010903", "2a864886f70d010904"
NAMES_SHA1, NAMES_CERTIFICATE = "2a864886f70d010910020c", "2a864886f70d010910022f"
HASHES = {"608648016503040201": "sha256", "608648016503040202": "sha384", "608648016503040203": "sha512"}
RSA_PSS, ED25519 = "2a864886f70d01010a", "2b6570"
RSA_PLAIN = ["2a864886f70d010101", "2a864886f70d01010b", "2a864886f70d01010c", "2a864886f70d01010d"]
ECDSA = ["2a8648ce3d040302", "2a8648ce3d040303", "2a8648ce3d040304"]
SIGNS = dict(zip(RSA_PLAIN[1:] + ECDSA, list(HASHES.values()) * 2))
CURVES = ("secp256r1", "secp384r1", "secp521r1")
NAMES = ("CN", "C", "L", "ST", "O", "OU")
HASH_KINDS = {"sha256": hashes.SHA256, "sha384": hashes.SHA384, "sha512": hashes.SHA512} if HAS_CRYPTOGRAPHY else {}
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
CLOCKS = timedelta(minutes=5)


def der(data: bytes, depth: int = 0) -> List[Der]:
    """The values, one after another. Raises ValueError where they, or values within, are not in their one proper form."""
    values, at = [], 0
    while at < len(data):
        first = data[at + 1] if at + 1 < len(data) else 0x80
        digits = max(0, first - 0x80)
        begin = at + 2 + digits
        length = int.from_bytes(data[at + 2 : begin], "big") if digits else first
        shortest = digits == 0 or length >= (0x80 if digits == 1 else 256 ** (digits - 1))
        if data[at] & 0x1F == 0x1F or first == 0x80 or digits > 3 or not shortest or begin + length > len(data) or depth > 32:
            raise ValueError("it is not in DER")
        values.append((data[at], data[begin : begin + length], data[at : begin + length]))
        if data[at] & 0x20:
            der(data[begin : begin + length], depth + 1)
        at = begin + length
    return values


def inside(value: Der, tag: int, count: Optional[int] = None) -> List[Der]:
    found = der(value[1]) if value[0] == tag else []
    if value[0] != tag or (count is not None and len(found) != count):
        raise ValueError("it has another form")
    return found


def oid(value: Der) -> str:
    return value[1].hex() if value[0] == 6 else ""


def algorithm_of(value: Der) -> Tuple[str, Optional[Der]]:
    """OID in hex and its parameters; NULL counts as none."""
    name, *more = inside(value, SEQUENCE)
    if len(more) > 1:
        raise ValueError("it has another form")
    return oid(name), more[0] if more and more[0][2] != b"\5\0" else None


def is_signed_by(by: Certificate, algorithm: Der, kind: Any, message: bytes, signature: bytes) -> Optional[bool]:
    """An algorithm that is not of this hash and of the key counts as a signature that does not fit."""
    name, parameters = algorithm_of(algorithm)

    def check() -> Any:
        key: Any = by.x509.public_key()
        if isinstance(key, rsa.RSAPublicKey) and name == RSA_PSS and parameters:
            # `{[0] hash, [1] mask, [2] bytes of salt}`; the mask has to be of the same hash.
            first, second, third = inside(parameters, SEQUENCE, 3)
            digest, mask = inside(first, 0xA0, 1)[0], inside(inside(second, 0xA1, 1)[0], SEQUENCE, 2)[1]
            salt = int.from_bytes(inside(third, 0xA2, 1)[0][1], "big")
            if algorithm_of(digest) != algorithm_of(mask) or HASHES.get(algorithm_of(digest)[0]) != kind.name:
                return False
            return key.verify(signature, message, padding.PSS(padding.MGF1(kind), salt), kind)
        if parameters or (name != ED25519 and SIGNS.get(name, kind.name) != kind.name):
            return False
        if isinstance(key, rsa.RSAPublicKey) and name in RSA_PLAIN:
            return key.verify(signature, message, padding.PKCS1v15(), kind)
        if isinstance(key, ec.EllipticCurvePublicKey) and name in ECDSA and key.curve.name in CURVES:
            return key.verify(signature, message, ec.ECDSA(kind))
        return key.verify(signature, message) if isinstance(key, ed25519.Ed25519PublicKey) and name == ED25519 else False

    return is_signed(check)


class Certificate:
    """The needed parts of a certificate (RFC 5280). Raises ValueError for other bytes."""

    def __init__(self, data: bytes) -> None:
        tbs, self.algorithm, signature = inside(der(data)[0], SEQUENCE, 3)
        if signature[1][:1] != b"\0":
            raise ValueError("it has another form")
        self.der, self.x509 = data, x509.load_der_x509_certificate(data)
        self.begin, self.end = self.x509.not_valid_before_utc, self.x509.not_valid_after_utc
        self.issuer, self.subject = (name.public_bytes() for name in (self.x509.issuer, self.x509.subject))
        self.fingerprint = f"sha256:{sha256(data)}"
        parts = ((each, each.rfc4514_attribute_name) for each in self.x509.subject)
        named = (f"{name if name in NAMES else each.oid.dotted_string}={each.value}" for each, name in parts)
        self.name = UNPRINTABLE.sub("?", ", ".join(named))[:500]
        self.extensions: Dict[Any, Any] = {type(each.value): each for each in self.x509.extensions}

    def is_for_stamps(self) -> bool:
        use = self.extensions.get(x509.ExtendedKeyUsage)
        return use is not None and use.critical and list(use.value) == [x509.ExtendedKeyUsageOID.TIME_STAMPING]

    def may_issue(self) -> bool:
        authority, usage = (self.extensions.get(kind) for kind in (x509.BasicConstraints, x509.KeyUsage))
        return authority is not None and authority.value.ca and (usage is None or usage.value.key_cert_sign)

    def is_issued_by(self, parent: Certificate) -> bool:
        kind = self.x509.signature_hash_algorithm
        if self.issuer != parent.subject or not parent.may_issue() or (kind and kind.name not in HASHES.values()):
            return False
        read = self.x509
        return bool(is_signed_by(parent, self.algorithm, kind, read.tbs_certificate_bytes, read.signature))


def certificates_of(pem: str) -> List[Certificate]:
    """Raises ValueError without a certificate, or when a certificate cannot be read."""
    if not HAS_CRYPTOGRAPHY:
        raise ValueError(f"to check a time stamp, {INSTALL}")
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----", pem)
    if not blocks:
        raise ValueError("it holds no certificate (PEM)")
    found = []
    for n, block in enumerate(blocks):
        try:
            found.append(Certificate(base64.b64decode("".join(block.split()), validate=True)))
        except Exception:
            raise ValueError(f"its certificate {n + 1} cannot be read") from None
    return found


class Stamp:
    """The parts of a stamp as packages keep it: what nobody signed has one form. Raises ValueError where it is none."""

    def __init__(self, data: bytes) -> None:
        (whole,) = der(data)
        status, token = inside(whole, SEQUENCE, 2)
        kind, tagged = inside(token, SEQUENCE, 2)
        version, digests, about, certificates, signers = inside(inside(tagged, TAGGED_0, 1)[0], SEQUENCE, 5)
        content_type, content_tag = inside(about, SEQUENCE, 2)
        (content,), (signer,), (digest,) = inside(content_tag, TAGGED_0, 1), inside(signers, SET), inside(digests, SET)
        number, sid, own_digest, attributes, self.algorithm, signature = inside(signer, SEQUENCE, 6)
        proper = (status[2], version[2], number[2]) == (bytes.fromhex("3003020100"), b"\2\1\3", b"\2\1\1")
        if not proper or (oid(kind), oid(content_type), content[0], signature[0]) != (SIGNED_DATA, TST_INFO, OCTETS, OCTETS):
            raise ValueError("it has another form")
        if own_digest[2] != digest[2] or attributes[0] != TAGGED_0:
            raise ValueError("it has another form")
        name, parameters = algorithm_of(digest)
        self.hash = None if parameters else HASHES.get(name)
        self.content, self.signature, self.attributes = content[1], signature[1], b"\x31" + attributes[2][1:]
        pairs = [inside(attribute, SEQUENCE, 2) for attribute in inside(attributes, TAGGED_0)]
        self.values = [(oid(name), value) for name, values in pairs for value in inside(values, SET)]
        (info,) = der(self.content)
        _, _, imprint, _, time, *_ = inside(info, SEQUENCE)
        algorithm, imprinted = inside(imprint, SEQUENCE, 2)
        self.imprint = (HASHES.get(algorithm_of(algorithm)[0]), imprinted[0], imprinted[1])
        moment = re.fullmatch(rb"(\d{14})(?:\.(\d{1,9}))?Z", time[1])
        if time[0] != 0x18 or not moment:
            raise ValueError("it has another form")
        micros = int((moment[2] or b"0").ljust(6, b"0")[:6])
        self.at = datetime.strptime(moment[1].decode(), "%Y%m%d%H%M%S").replace(microsecond=micros, tzinfo=timezone.utc)
        self.time = f"{self.at:%Y-%m-%dT%H:%M:%S}.{micros // 1000:03d}Z"
        issuer, serial = inside(sid, SEQUENCE, 2)
        found = [Certificate(each[2]) for each in inside(certificates, TAGGED_0)]
        named = (issuer[2], int.from_bytes(serial[1], "big", signed=True))
        self.certificate = next((each for each in found if (each.issuer, each.x509.serial_number) == named), None)
        self.others = [each for each in found if each is not self.certificate]

    def only(self, name: str) -> Optional[Der]:
        values = [value for each, value in self.values if each == name]
        return values[0] if len(values) == 1 else None

    def names(self, certificate: Certificate) -> bool:
        """Whether the attribute that binds the signature to a certificate is of this one (RFC 2634, RFC 5035)."""
        newer = self.only(NAMES_CERTIFICATE)
        value = newer or self.only(NAMES_SHA1)
        if value is None:
            return False
        *algorithm, digest = inside(inside(inside(value, SEQUENCE)[0], SEQUENCE)[0], SEQUENCE)[:2]
        if digest[0] != OCTETS:
            # Without an algorithm before it, the hash comes first.
            algorithm, digest = [], algorithm[0]
        name = (HASHES.get(algorithm_of(algorithm[0])[0]) if algorithm else "sha256") if newer else None if algorithm else "sha1"
        return name is not None and digest[:2] == (OCTETS, hashlib.new(name, certificate.der).digest())

    def is_of_content(self) -> bool:
        kind, digest = self.only(CONTENT_TYPE), self.only(MESSAGE_DIGEST)
        if kind is None or digest is None or self.hash is None or oid(kind) != TST_INFO:
            return False
        return digest[:2] == (OCTETS, hashlib.new(self.hash, self.content).digest())

    def chain(self, certificate: Certificate) -> Tuple[List[Certificate], bool]:
        """From the certificate upwards, and whether each is signed by the next, the last of several by itself, and none is left over."""
        chain, rest = [certificate], self.others
        while chain[-1].issuer != chain[-1].subject:
            above = next((each for each in rest if each.subject == chain[-1].issuer), None)
            if above is None:
                break
            if not chain[-1].is_issued_by(above):
                return chain, False
            rest = [each for each in rest if each is not above]
            chain.append(above)
        return chain, not rest and (len(chain) == 1 or chain[-1].is_issued_by(chain[-1]))

    def fault(self, signed: Optional[Envelope], authorities: Optional[List[Certificate]]) -> Optional[str]:
        """Why it does not hold; None: nothing speaks against it."""
        by = self.certificate
        if not signed or not signed.signature or self.imprint != ("sha256", OCTETS, hashlib.sha256(signed.signature).digest()):
            return "it is the stamp of another signature"
        if by is None:
            return "the certificate of who stamped is not in it"
        if not by.is_for_stamps():
            return "its certificate is not one for time stamps alone"
        if not self.names(by):
            return "it names another certificate than the one in it"
        if not self.is_of_content():
            return "its content is not the signed content"
        if not is_signed_by(by, self.algorithm, HASH_KINDS[self.hash](), self.attributes, self.signature):
            return "its signature does not fit its certificate"
        chain, fitting = self.chain(by)
        if not fitting:
            return "its certificates do not lead up to one that signed itself"
        if not all(each.begin <= self.at <= each.end for each in chain):
            return f"its certificate was not valid at {self.time}"
        moment = moment_of(signed.at or "")
        if moment and self.at < moment - CLOCKS:
            return f"it says {self.time}, before the signature was made"
        known = authorities or []
        held = {each.der for each in chain} & {each.der for each in known}
        above = (each for each in known if each.begin <= self.at <= each.end and chain[-1].is_issued_by(each))
        if authorities is not None and not held and next(above, None) is None:
            return "its certificate does not lead to an authority that you named"
        return None


# ---- tables, and the tree of RFC 6962 ----


def written_values(line: str) -> List[str]:
    """The values of a line of CSV as they are written: a comma in quotes divides nothing."""
    values = [""]
    for n, part in enumerate(line.split('"')):
        first, *more = [part] if n % 2 else part.split(",")
        values[-1] += ('"' if n else "") + first
        values += more
    return values


class Table:
    """The checks of a table from its pieces: of each row the begin of its hash, of each column the hash of its values."""

    def __init__(self, on_row: Callable[[bytes], None] = lambda _: None) -> None:
        self.rows: List[bytes] = []
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

    def end(self) -> Tuple[List[bytes], Dict[str, str]]:
        if self.rest:
            self.add(b"\n")
        return self.rows, {name: value.hexdigest() for name, value in zip(self.names or [], self.hashes)}

    def _line(self, line: str) -> None:
        values = written_values(line)
        if self.names is None:
            self.names, self.hashes = values, [hashlib.sha256() for _ in values]
            return
        self.on_row(line.encode())
        for n, column in enumerate(self.hashes):
            column.update((("\n" if self.rows else "") + (values[n] if n < len(values) else "")).encode())
        self.rows.append(hashlib.sha256(line.encode()).digest()[:4])


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
        *others, (_, node) = self.full or [(0, hashlib.sha256().digest())]
        for _, left in reversed(others):
            node = hashlib.sha256(b"\1" + left + node).digest()
        return node.hex()


def table_differences(file: str, checks: Any, now: List[bytes], columns: Dict[str, str]) -> List[Difference]:
    rows = base64_bytes(checks["rows"]) or b""
    before = [rows[at : at + 4] for at in range(0, len(rows), 4)]
    others = [name for name in checks["columns"] if name not in columns] + [name for name in columns if name not in checks["columns"]]
    if others:
        return [differs(file, "the names of the columns are not those that were signed", 1, others)]
    lines = [n + 2 for n in range(max(len(before), len(now))) if before[n : n + 1] != now[n : n + 1]]
    fields = [name for name in columns if checks["columns"][name] != columns[name]]
    if len(before) != len(now):
        rows_now = count_of(len(now), "row")
        return [differs(file, f"it has {rows_now} in place of {len(before)}; the first that differs is this", lines[0])]
    what = "it is in another order" if lines and sorted(before) == sorted(now) else "it is not as it was signed"
    named = [differs(file, what, line, fields) for line in lines[:MOST_NAMED]] or [differs(file, what, None, fields)]
    more = len(lines) - MOST_NAMED
    return named + ([differs(file, f"{count_of(more, 'more row is', 'more rows are')} not as signed")] if more > 0 else [])


def count_of(count: int, one: str, several: Optional[str] = None) -> str:
    return f"{count} {one if count == 1 else several or one + 's'}"


# ---- the whole ----

NOBODY = {"by": None, "at": None, "valid": False}
NO_STAMP = {"at": None, "valid": False, "authority": None, "fingerprint": None, "is_known": False}


class Verifying:
    """One package."""

    def __init__(self, archive: Zip, fingerprint: Optional[str], authorities: Optional[List[Certificate]]) -> None:
        self.zip, self.entries = archive, archive.entries
        self.fingerprint, self.authorities = fingerprint, authorities
        self.differences, self.unchecked = archive.faults, []  # type: List[Difference], List[str]
        self.days: Dict[str, List[Tuple[str, str, int]]] = {}

    def differs(self, file: Optional[str], what: str) -> None:
        self.differences.append(differs(file, what))

    def report(self) -> Dict[str, Any]:
        signed = self.signature()
        manifest = self.manifest(signed)
        stamped = self.stamp(signed)
        files = self.files(manifest) if manifest else 0
        seals = self.seals(manifest) if manifest else []
        if signed and signed.valid is None:
            self.unchecked.append(f"the signature: {INSTALL}")
        query = manifest["query"] if manifest else {}
        said = signed.stamp if signed and TIMESTAMP not in self.entries else None
        return {
            "outcome": "differs" if self.differences else "unchecked" if self.unchecked else "whole",
            "unit_id": manifest["unit_id"] if manifest else None,
            "from": query.get("from"),
            "to": query.get("to"),
            "signed": {"by": signed.by, "at": signed.at, "valid": signed.valid} if signed else NOBODY,
            "stamped": stamped,
            "not_stamped": None if said == "attached" else said,
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
        if self.fingerprint not in (None, signed.by):
            self.differs(PUBLIC_KEY, f"it is another key: {signed.by or 'none'}, not {self.fingerprint}")
        return signed

    def manifest(self, signed: Optional[Envelope]) -> Any:
        data = self.whole(MANIFEST)
        if data is None:
            return None
        if not signed or sha256(data) != signed.manifest:
            self.differs(MANIFEST, "it is not the signed manifest")
        manifest = manifest_in(data)
        if manifest is None:
            return self.differs(MANIFEST, "it is no manifest of the format slm-evidence/1")
        key, query = manifest["key"]["fingerprint"], manifest["query"]
        if signed and key != signed.by:
            self.differs(MANIFEST, f"it is of the key {key}, not of the key in the package")
        about = {"unit_id": manifest["unit_id"], "from": query["from"], "to": query["to"]}
        if signed and signed.predicate and any(signed.predicate[name] != about[name] for name in about):
            self.differs(MANIFEST, "the signed statement is of another unit or another time")
        return manifest

    def stamp(self, signed: Optional[Envelope]) -> Any:
        said = signed.stamp if signed else None
        if TIMESTAMP not in self.entries:
            if said == "attached":
                self.differs(TIMESTAMP, "it is missing")
            if self.authorities is not None:
                self.differs(TIMESTAMP, "there is no time stamp of an authority that you named")
            return None
        if said not in (None, "attached"):
            self.differs(TIMESTAMP, "it was not there when it was signed")
        data = self.whole(TIMESTAMP)
        if data is None:
            return NO_STAMP
        if not HAS_CRYPTOGRAPHY:
            self.unchecked.append(f"the time stamp: {INSTALL}")
            return {**NO_STAMP, "valid": None}
        try:
            stamp = Stamp(data)
            fault = stamp.fault(signed, self.authorities)
        except Exception:  # Whatever the package cryptography says of certificates that are none.
            self.differs(TIMESTAMP, "it is no time stamp")
            return NO_STAMP
        if fault:
            self.differs(TIMESTAMP, fault)
        by, known = stamp.certificate, self.authorities is not None and not fault
        named = {"authority": by.name if by else None, "fingerprint": by.fingerprint if by else None}
        return {"at": stamp.time, "valid": not fault, **named, "is_known": known}

    def files(self, manifest: Any) -> int:
        added = self.compare_names(manifest)
        listed = [file for file in manifest["files"] if file["path"] in self.entries]
        for file in listed:
            entry = self.entries[file["path"]]
            actual = self.hash_of(entry)
            if actual is not None and (actual, entry.file_size) != (file["sha256"], file["bytes"]):
                self.differences += self.named(entry, manifest)
        for entry in added:
            actual = self.hash_of(entry)
            before = (f["path"] for f in manifest["files"] if f["sha256"] == actual and f["path"] not in self.entries)
            name = next(before, None)
            self.differs(entry.orig_filename, f"it was {name} when it was signed" if name else "it was not there when it was signed")
        return len(listed)

    def compare_names(self, manifest: Any) -> List[zipfile.ZipInfo]:
        """Finds missing files and another order; returns added files."""
        listed = [file["path"] for file in manifest["files"]] + [MANIFEST, ENVELOPE, PUBLIC_KEY, TIMESTAMP]
        order = [path for path in listed if path in self.entries]
        for path in listed:
            if path not in self.entries and path != TIMESTAMP:
                self.differs(path, "it is missing")
        known = set(listed)
        common = [path for path in self.entries if path in known]
        misplaced = next((path for path, right in zip(common, order) if path != right), None)
        if misplaced is not None:
            self.differs(misplaced, "it is not at its place in the order of the files")
        end = moment_of(manifest["query"]["to"])
        for entry in self.entries.values():
            if end is None or time_of(entry) != int(end.timestamp() // 1):
                self.differs(entry.orig_filename, "its time in the ZIP is not the end of the span")
        return [entry for path, entry in self.entries.items() if path not in known]

    def hash_of(self, entry: zipfile.ZipInfo) -> Optional[str]:
        """Of the content in hex; None where it cannot be unpacked. Rows of levels are counted on the way."""
        levels = re.fullmatch(r"levels/(\d{4}-\d\d-\d\d)/([a-z]+)\.csv", entry.orig_filename)
        tree, whole = Tree(), hashlib.sha256()
        table = Table(tree.add) if levels else None
        try:
            for piece in self.zip.content(entry):
                whole.update(piece)
                if table:
                    table.add(piece)
        except Damaged as damage:
            return self.differs(entry.orig_filename, str(damage))
        if levels and table:
            table.end()
            self.days.setdefault(levels[1], []).append((levels[2], tree.root(), tree.count))
        return whole.hexdigest()

    def named(self, entry: zipfile.ZipInfo, manifest: Any) -> List[Difference]:
        """Row and field where the file has its checks, and these are as they were signed."""
        path = entry.orig_filename + CHECKS_SUFFIX
        expected = next((file["sha256"] for file in manifest["files"] if file["path"] == path), None)
        data = self.whole(path) if expected else None
        checks = canonical(data, CHECKS_FORM) if data is not None and sha256(data) == expected else None
        if checks is None:
            return [differs(entry.orig_filename, "it is not as it was signed")]
        table = Table()
        for piece in self.zip.content(entry):
            table.add(piece)
        return table_differences(entry.orig_filename, checks, *table.end())

    def seals(self, manifest: Any) -> List[Dict[str, Any]]:
        if not any(file["path"] == SEALS for file in manifest["files"]):
            return [{"day": day, "version": None, "result": "none"} for day in self.days]
        data = self.whole(SEALS)
        if data is None:
            return []
        seals = seals_in(data)
        if seals is None:
            self.differs(SEALS, "it is no list of seals")
            return []
        for seal in seals:
            if "audit" in seal and not is_record_of(seal["audit"], seal):
                self.differs(SEALS, f"the audit record of the seal of {seal['day']}, version {seal['version']}, does not fit it")
        return [self.sealed(day, kinds, seals, manifest["query"]) for day, kinds in self.days.items()]

    def sealed(self, day: str, kinds: List[Tuple[str, str, int]], seals: List[Any], query: Any) -> Dict[str, Any]:
        seal = max((seal for seal in seals if seal["day"] == day), key=lambda seal: seal["version"], default=None)
        if seal is None:
            return {"day": day, "version": None, "result": "none"}
        if not is_whole(day, query):
            return {"day": day, "version": seal["version"], "result": "part"}
        result = compared(seal, kinds)
        if result == "differs":
            self.differs(f"levels/{day}", "the levels do not fit the seal of the day")
        return {"day": day, "version": seal["version"], "result": result}

    def whole(self, path: str) -> Optional[bytes]:
        """None where it is missing or damaged, which is named once."""
        entry = self.entries.get(path)
        if entry is None:
            return None
        try:
            if entry.file_size > MOST_WHOLE:
                raise Damaged(f"it is longer than {MOST_WHOLE} bytes")
            return b"".join(self.zip.content(entry))
        except Damaged as damage:
            if differs(path, str(damage)) not in self.differences:
                self.differs(path, str(damage))
            return None


def day_root(kinds: List[Tuple[str, str, int]]) -> str:
    tree = Tree()
    for kind, root, rows in sorted(kinds):
        if rows > 0:
            tree.add(f"{kind} {root} {rows}".encode())
    return tree.root()


def compared(seal: Any, kinds: List[Tuple[str, str, int]]) -> str:
    """Seconds are removed earlier than minutes: then the other tables are compared alone."""
    if (seal["root"], seal["rows"]) == (day_root(kinds), rows_in(kinds)):
        return "fits"
    sealed = [(kind["kind"], kind["root"], kind["rows"]) for kind in seal.get("kinds", [])]
    if day_root(sealed) != seal["root"]:
        return "differs"
    present, before = without_seconds(kinds), without_seconds(sealed)
    are_fewer = rows_in(kinds) - rows_in(present) < rows_in(sealed) - rows_in(before)
    return "minutes" if are_fewer and rows_in(present) > 0 and day_root(present) == day_root(before) else "differs"


def rows_in(kinds: List[Tuple[str, str, int]]) -> int:
    return sum(rows for _, _, rows in kinds)


def without_seconds(kinds: List[Tuple[str, str, int]]) -> List[Tuple[str, str, int]]:
    return [kind for kind in kinds if kind[0] != "seconds"]


def seals_in(data: bytes) -> Optional[List[Any]]:
    try:
        seals = json.loads(data.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    form = {"day": (str,), "root": (str,), "version": (int, float), "rows": (int, float)}
    proper = isinstance(seals, list) and all(
        isinstance(seal, dict)
        and all(type(seal.get(name)) in types for name, types in form.items())
        and isinstance(seal.get("kinds", []), list)
        and all(map(is_kind, seal.get("kinds", [])))
        for seal in seals
    )
    return seals if proper else None


def is_kind(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    texts = all(isinstance(value.get(name), str) for name in ("kind", "root"))
    return texts and type(value.get("rows")) in (int, float)


def is_record_of(record: Any, seal: Any) -> bool:
    """An audit record has a hash of its own over the hash before and its canonical text, and names what is sealed."""
    if not isinstance(record, dict) or "hash" not in record or "prev" not in record:
        return False
    rest = {name: value for name, value in record.items() if name != "hash"}
    values = list(leaves(rest))
    named = all(seal[name] in values for name in ("day", "root", "version", "rows"))
    return named and sha256(f"{record['prev']}{canonical_text(rest)}".encode()) == record["hash"]


def leaves(value: Any) -> Iterator[Any]:
    if not isinstance(value, (dict, list)):
        yield value
        return
    for part in value.values() if isinstance(value, dict) else value:
        yield from leaves(part)


def moment_of(text: str) -> Optional[datetime]:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


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
    before, first, last = (at.astimezone(zone).date().isoformat() for at in (begin - timedelta(milliseconds=1), begin, end))
    return not before == first == day and last != day


def verify(path: str, fingerprint: Optional[str] = None, authorities: Optional[List[Certificate]] = None) -> Dict[str, Any]:
    """The report, as `slm verify --json` prints it. Raises OSError where the file cannot be read."""
    with open(path, "rb") as file:
        try:
            archive = Zip(file)
            if MANIFEST in archive.entries or ENVELOPE in archive.entries or archive.faults:
                return Verifying(archive, fingerprint, authorities).report()
            what = f"it is a ZIP without {MANIFEST}"
        except zipfile.BadZipFile:
            file.seek(0)
            begins = file.read(4) == b"PK\3\4"
            what = "it begins as a ZIP and has no end: it was cut off, or its end is damaged" if begins else "it is no ZIP"
            what = what if os.path.getsize(path) > 0 else "the file is empty"
        nothing = {"unit_id": None, "from": None, "to": None, "signed": NOBODY, "stamped": None, "not_stamped": None}
        empty = {"files": 0, "seals": [], "differences": [differs(None, what)], "unchecked": []}
        return {"outcome": "not a package", **nothing, **empty}


WORDS = {
    "whole": "WHOLE: every file is as it was signed.",
    "differs": "NOT WHOLE: the package differs from what was signed.",
    "not a package": "This is not a package of evidence.",
    "unchecked": "NOTHING DIFFERS, but not everything could be checked.",
}
SEAL_WORDS = {
    "fits": "fits its seal",
    "minutes": "fits its seal by its minutes: not all of its seconds are kept",
    "differs": "does not fit its seal",
    "part": "is there in part: its seal is of the whole day",
    "none": "has no seal",
}
CODES = {"whole": 0, "differs": 1, "not a package": 2, "unchecked": 3}


def lines_of(report: Dict[str, Any]) -> Iterator[str]:
    """The report for a person."""
    yield WORDS[report["outcome"]]
    if report["outcome"] != "not a package":
        unit, begin, end = (report[name] or "?" for name in ("unit_id", "from", "to"))
        yield f"Unit {unit}, from {begin} to {end}, {count_of(report['files'], 'file')} compared."
        yield signer_line(**report["signed"])
        yield stamp_line(report["stamped"], report["not_stamped"])
        for seal in report["seals"]:
            version = "" if seal["version"] is None else f" (version {seal['version']})"
            yield f"{seal['day']} {SEAL_WORDS[seal['result']]}{version}."
    for found in report["differences"]:
        line = [f"line {found['line']}"] if "line" in found else []
        yield f"Differs: {', '.join([found['file'] or 'the package', *line, *found.get('fields', [])])}: {found['what']}"
    for what in report["unchecked"]:
        yield f"Not checked: {what}"


def signer_line(by: Optional[str], at: Optional[str], valid: Optional[bool]) -> str:
    if valid is None:
        return f"Signature not checked; the key in the package is {by or 'not readable'}."
    return f"Signed by {by}, at {at} by the clock of the gateway." if valid else f"The signature is not valid (key {by or '?'})."


def stamp_line(stamp: Any, not_stamped: Optional[str]) -> str:
    if not stamp:
        # The person who signed the package wrote the reason: it must not look like a line of the report.
        return f"Not stamped: {(not_stamped or 'nobody else says when it was signed')}.".replace("\n", " ")
    if stamp["valid"] is None:
        return "The time stamp is not checked."
    if not stamp["valid"]:
        return "The time stamp is not valid."
    by = f"Stamped at {stamp['at']} by {stamp['authority']} (certificate {stamp['fingerprint']})"
    return f"{by}, an authority that you named." if stamp["is_known"] else f"{by}. Whether you trust this authority is for you to say."


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
