/** Letterheads of reports: a few lines and a logo. */
import { createHash } from 'node:crypto';
import { invalid, isGatewayError, pictureFacts } from '../../lib/index.ts';
import type { ReportLetterhead } from './document.ts';

/** Most bytes of a logo, and its most pixels on a side: whoever prints it unpacks all of them. */
const MOST_LOGO_BYTES = 1_000_000;
const MOST_SIDE = 2_000;

/** What a person writes. */
export interface LetterheadBody {
  readonly lines: readonly string[];
  /** A PNG or JPEG as Base64; null: none. */
  readonly logo: string | null;
}

/** A logo as printers take it. */
export interface Logo {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Undefined where there is none. Errors: INVALID with the path, for what is no whole picture, or too large. */
export function logoOf({ logo }: LetterheadBody): Logo | undefined {
  if (logo === null) return undefined;
  const bytes = Buffer.from(logo, 'base64');
  if (bytes.length > MOST_LOGO_BYTES) throw wrong(`has ${bytes.length} bytes; at most ${MOST_LOGO_BYTES} are allowed`);
  try {
    const { mediaType, width, height } = pictureFacts(bytes);
    if (width <= MOST_SIDE && height <= MOST_SIDE) return { mediaType, bytes };
    throw wrong(`has ${width} x ${height} pixels; at most ${MOST_SIDE} on a side are allowed`);
  } catch (error) {
    if (isGatewayError(error) && error.errors === undefined) throw wrong(error.message);
    throw error;
  }
}

/** As the document has it: the picture by its hash. */
export const letterheadOf = ({ lines, logo }: LetterheadBody): ReportLetterhead => ({
  lines,
  logo: logo === null ? null : createHash('sha256').update(Buffer.from(logo, 'base64')).digest('hex'),
});

const wrong = (message: string) => invalid([{ path: '/logo', message }]);
