/**
 * Paths on a card from callers: absolute, `/`-separated. Refused are paths that could leave the card, end the FTP
 * command line, or mislead. Does not check whether the file exists.
 */
import { GatewayError } from '../errors.ts';

/** The parts of a path. */
export interface CardPath {
  /** Without doubled or trailing slashes; `/` for the root. */
  readonly path: string;
  readonly parent: string;
  /** Last segment; empty for the root. */
  readonly name: string;
}

/** Schema of a path on a card, as far as a schema can describe it. */
export const CARD_PATH = {
  type: 'string',
  minLength: 1,
  maxLength: 1_024,
  pattern: '^/(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'an absolute path on the card of the meter, without `..` and control characters',
} as const;

/** FAT32 with long names allows 260 characters; UTF-8 needs up to four bytes for each. */
const LONGEST_BYTES = 1_024;

/** `pointer`: place in the request, for the error. Throws INVALID. */
export function cardPath(given: string, pointer: string): CardPath {
  const fault = faultOf(given);
  if (fault) throw new GatewayError('INVALID', `The path ${fault}.`, { errors: [{ path: pointer, message: fault }] });
  const segments = given.split('/').filter((segment) => segment !== '' && segment !== '.');
  return { path: `/${segments.join('/')}`, parent: `/${segments.slice(0, -1).join('/')}`, name: segments.at(-1) ?? '' };
}

function faultOf(given: string): string | undefined {
  if (!given.startsWith('/')) return 'must be absolute: it has to begin with /';
  if (Buffer.byteLength(given) > LONGEST_BYTES) return `must not be longer than ${LONGEST_BYTES} bytes`;
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(given)) return 'must not contain control characters or line breaks';
  if (!given.isWellFormed()) return 'must be well-formed Unicode';
  if (given.split(/[/\\]/).includes('..')) return 'must not contain ..';
  return undefined;
}

/** Name of the FTP server of a meter. */
export const serverOf = ({ host, ftpPort }: { readonly host: string; readonly ftpPort: number }): string =>
  `${host.toLowerCase()} ${ftpPort}`;

/** A path below a folder. */
export const inside = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`);
