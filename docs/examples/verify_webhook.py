"""Checks that a webhook is from your gateway, unchanged and not old (Standard Webhooks). No package is needed."""
import base64, hashlib, hmac, time

MOST_SECONDS = 300

def verify(secret, headers, body, now=None):
    """`body`: the bytes exactly as they came. `headers`: names in small letters. `now`: seconds since 1970."""
    stamp = headers["webhook-timestamp"]
    if not stamp.isdigit() or abs((time.time() if now is None else now) - int(stamp)) > MOST_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{stamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in headers["webhook-signature"].split(" "))
