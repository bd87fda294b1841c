/** Small pictures, and how one becomes the plan. */

/** A grey pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);
/** The parts of a JPEG of 3 x 2 pixels up to its size, and its end. */
export const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080002000301011100ffd9', 'hex');
/** Most bytes that the gateway takes. */
export const ASKED_MAX = 5_000_000;

/** A PNG that says it has so many pixels. */
export function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** What the gateway said. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
  readonly body: any;
}

/** Sends it to the gateway at this base address. */
export async function sendPicture(
  base: string,
  bytes: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const answer = await fetch(`${base}/_plan/picture`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, body: await answer.json() };
}
