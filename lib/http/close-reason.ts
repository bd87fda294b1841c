/** The words of a WebSocket close frame. It has room for 123 bytes (RFC 6455, 5.5.1), and more is an error of the socket. */
const MOST_BYTES = 123;

/** The reason, cut at a whole character where it is too long: unit ids and words of a meter are part of it. */
export function closeReason(text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  const cut = Buffer.from(text)
    .subarray(0, MOST_BYTES - 3)
    .toString('utf8');
  return `${cut.replace(/\uFFFD+$/u, '')}...`;
}
