/** Whether a logo has all of its pixels and no more. */
import { readPng } from './png.ts';

const SCAN = Buffer.from('ffda', 'hex');

/** `bytes`: a PNG or JPEG of at most 2,000 pixels on a side, by its head. False: it is broken, or hides more than it says. */
export async function isWholeLogo(mediaType: string, bytes: Buffer): Promise<boolean> {
  // Of a JPEG without a scan there is nothing to see.
  return mediaType === 'image/png' ? (await readPng(bytes)) !== undefined : bytes.includes(SCAN);
}
