/** Letterheads of reports: a few lines and a logo, which is printed once before it is kept. */
import { createHash } from 'node:crypto';
import { inflate } from 'node:zlib';
import type { ChangeReportLetterheadBody, ReportLetterhead, ReportLetterheadFull } from '../../client/schemas.ts';
import { callerOf, invalid, pictureFacts } from '../../lib/built-in.ts';
import {
  addNamedRoutes,
  GatewayError,
  type Host,
  isGatewayError,
  named,
  orNull,
  type Schema,
  UNIT_ID,
} from '../../lib/index.ts';
import { MOST_NAMED, type NamedStore } from './named-store.ts';
import { type PdfPrinter, UnprintableError } from './pdf/printer.ts';
import { LINE, NAME_WORDS } from './schemas.ts';

/** Most bytes of a logo, and its most pixels on a side: whoever prints it unpacks all of them. */
const MOST_LOGO_BYTES = 1_000_000;
const MOST_SIDE = 2_000;

export type LetterheadBody = Pick<ReportLetterheadFull, 'lines' | 'logo'>;

export interface Logo {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Undefined: no logo. Errors: INVALID with the path for a broken or too large picture. */
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

const NAME = {
  name: { type: 'string', pattern: UNIT_ID, description: `the name of a letterhead: ${NAME_WORDS}`, example: 'office' },
};
const LINES: Schema = {
  type: 'array',
  items: { type: 'string', maxLength: 100, pattern: LINE },
  maxItems: 6,
  description: 'Each below the other.',
};
const LOGO: Schema = {
  // How large it may be is said in bytes, by `logoOf`.
  ...orNull({ type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  description: 'A PNG or JPEG as Base64, at most 1 MB and 2,000 pixels on a side; null: none.',
};
const SHOWN: Schema = named('ReportLetterheadFull', { name: { type: 'string' }, lines: LINES, logo: LOGO });
const LISTED: Schema = named('ReportLetterheadListed', {
  name: { type: 'string' },
  lines: LINES,
  logo: { type: ['string', 'null'], description: 'SHA-256 of the picture; null: there is none.' },
});

type Store = NamedStore<LetterheadBody>;

export function addLetterheads(host: Host, store: Store, printer: PdfPrinter): void {
  addNamedRoutes<ChangeReportLetterheadBody>(host, {
    path: '/_reports/letterheads',
    param: NAME,
    noun: 'letterhead',
    notFound: 'REPORT_NOT_FOUND',
    schema: LISTED,
    body: {
      body: {
        type: 'object',
        properties: { name: NAME.name, lines: LINES, logo: LOGO },
        additionalProperties: false,
        example: { lines: ['Acoustics Office', '1 Example Street'], logo: null },
      },
      // A logo of up to 2 MB gets an answer with its problem.
      bodyBytes: 2_800_000,
    },
    fixed: ['name'],
    errors: ['BUSY'],
    reading: { filtersUnits: true, etag: true },
    words: {
      list: { operation: 'listReportLetterheads', summary: 'List the letterheads of reports' },
      put: {
        operation: 'changeReportLetterhead',
        summary: 'Write a letterhead of reports, or replace one',
        description: `At most ${MOST_NAMED}. Reports name it with \`letterhead\`.`,
      },
      remove: {
        operation: 'removeReportLetterhead',
        summary: 'Remove a letterhead of reports',
        description: 'A kept report that names it cannot be made any more, and says so.',
      },
    },
    list: () => store.list().map(([name, body]) => ({ name, ...letterheadOf(body) })),
    find(name) {
      const found = store.find(name);
      return found && { name, ...letterheadOf(found) };
    },
    async put(name, { lines = [], logo = null }, { caller, identity }) {
      const signal = AbortSignal.any([caller.signal, host.signal]);
      await tryPrint(printer, { lines, logo }, callerOf(identity), signal);
      await store.put(name, { lines, logo });
      return { name, ...letterheadOf({ lines, logo }) };
    },
    remove: (name) => store.remove(name),
  });
  host.route({
    method: 'GET',
    path: '/_reports/letterheads/{name}',
    params: NAME,
    access: 'viewer',
    filtersUnits: true,
    operation: 'showReportLetterhead',
    summary: 'Show a letterhead of reports',
    answer: { data: SHOWN },
    etag: true,
    errors: ['REPORT_NOT_FOUND'],
    handle({ params: { name = '' } }) {
      const found = store.find(name);
      if (!found) throw new GatewayError('REPORT_NOT_FOUND', `There is no letterhead ${name}.`);
      return { data: { name, ...found } };
    },
  });
}

/** A picture can be broken behind its head: what cannot be printed is refused now. Errors: INVALID; as of `PdfPrinter.print`. */
async function tryPrint(printer: PdfPrinter, body: LetterheadBody, caller: string, signal: AbortSignal): Promise<void> {
  const logo = logoOf(body);
  if (!logo) return;
  if (!(await isWholeLogo(logo.mediaType, logo.bytes))) throw broken();
  const [from, to] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  const about = {
    title: '-',
    template: '',
    lang: 'en',
    zone: 'UTC',
    from,
    to,
    period: '',
    remarks: '',
    check: null,
    overview: null,
    units: [],
  } as const;
  try {
    await printer.print(
      { report: { ...about, letterhead: letterheadOf(body) }, paper: 'a4', logo: logo.bytes, caller },
      signal,
    );
  } catch (error) {
    if (error instanceof UnprintableError) throw broken();
    throw error;
  }
}

const broken = () =>
  invalid([
    {
      path: '/logo',
      message:
        'is broken, or of a kind that cannot be printed (with one colour that is transparent, or interlaced): open it, save it as a plain PNG or JPEG, and send that',
    },
  ]);

const HEAD_BYTES = 8;
/** Bytes around the data of a part: its length, its name, its checksum. */
const FRAME_BYTES = 12;
/** Values of a pixel, and bits of one value, by the kind of colour (PNG, table 11.1). */
const COLOURS: Readonly<Record<number, { readonly values: number; readonly bits: readonly number[] }>> = {
  0: { values: 1, bits: [1, 2, 4, 8, 16] },
  2: { values: 3, bits: [8, 16] },
  3: { values: 1, bits: [1, 2, 4, 8] },
  4: { values: 2, bits: [8, 16] },
  6: { values: 4, bits: [8, 16] },
};
const PALETTE = 3;
/** Where the pixels of each pass of an interlaced picture begin, and how far they are from each other. */
const PASSES = [
  { x: 0, y: 0, right: 8, down: 8 },
  { x: 4, y: 0, right: 8, down: 8 },
  { x: 0, y: 4, right: 4, down: 8 },
  { x: 2, y: 0, right: 4, down: 4 },
  { x: 0, y: 2, right: 2, down: 4 },
  { x: 1, y: 0, right: 2, down: 2 },
  { x: 0, y: 1, right: 1, down: 2 },
] as const;
const ONE_PASS = [{ x: 0, y: 0, right: 1, down: 1 }] as const;
const MOST_FILTER = 4;
const SCAN = Buffer.from('ffda', 'hex');

/** `bytes`: a PNG or JPEG of at most 2,000 pixels on a side, by its head. False: it is broken, hides more than it says, or is of a kind that would be printed wrongly. */
async function isWholeLogo(mediaType: string, bytes: Buffer): Promise<boolean> {
  // Of a JPEG without a scan there is nothing to see.
  if (mediaType !== 'image/png') return bytes.includes(SCAN);
  const parts = partsOf(bytes);
  const [head] = parts;
  // A reader may take the size of a second head, or go on behind the end.
  const isOnePicture = ['IHDR', 'IEND'].every((kind) => parts.filter((part) => part.kind === kind).length === 1);
  if (!isOnePicture || head?.kind !== 'IHDR' || head.data.length !== 13) return false;
  if (parts.at(-1)?.kind !== 'IEND' || lengthOf(parts) !== bytes.length) return false;
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  const [bits = 0, colour = 0, packing, filtering, interlaced = 0] = head.data.subarray(8);
  const form = COLOURS[colour];
  if (!form?.bits.includes(bits) || packing !== 0 || filtering !== 0 || interlaced > 1) return false;
  if (hasKeyColour(colour, bits, parts)) return false;
  if (colour === PALETTE && !parts.some(({ kind, data }) => kind === 'PLTE' && data.length >= 3)) return false;
  const passes = (interlaced === 1 ? PASSES : ONE_PASS).map(({ x, y, right, down }) => {
    const [across, rows] = [Math.ceil((width - x) / right), Math.ceil((height - y) / down)];
    return { rows: across > 0 ? Math.max(0, rows) : 0, rowBytes: 1 + Math.ceil((across * form.values * bits) / 8) };
  });
  const length = passes.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0);
  const packed = Buffer.concat(parts.flatMap(({ kind, data }) => (kind === 'IDAT' ? [data] : [])));
  // It ends as soon as there is more than the pixels need.
  const pixels = await unpacked(packed, length);
  return pixels?.length === length && hasFilters(pixels, passes);
}

const lengthOf = (parts: readonly { readonly data: Buffer }[]): number =>
  parts.reduce((sum, { data }) => sum + FRAME_BYTES + data.length, HEAD_BYTES);

/** One colour is transparent, or colours of a palette of less than 8 bits: the library shows other colours than these. */
const hasKeyColour = (colour: number, bits: number, parts: readonly { readonly kind: string }[]): boolean =>
  (colour !== PALETTE || bits < 8) && parts.some(({ kind }) => kind === 'tRNS');

/** Undefined where it is broken, or more than `most` bytes. */
const unpacked = (packed: Buffer, most: number): Promise<Buffer | undefined> =>
  new Promise((resolve) =>
    inflate(packed, { maxOutputLength: most }, (error, bytes) => resolve(error ? undefined : bytes)),
  );

/** Each row begins with how it was filtered. */
function hasFilters(pixels: Buffer, passes: readonly { readonly rows: number; readonly rowBytes: number }[]): boolean {
  let at = 0;
  for (const { rows, rowBytes } of passes)
    for (let row = 0; row < rows; row++, at += rowBytes) if ((pixels[at] ?? 0) > MOST_FILTER) return false;
  return true;
}

/** As far as they follow each other. */
function partsOf(bytes: Buffer): readonly { readonly kind: string; readonly data: Buffer }[] {
  const parts: { kind: string; data: Buffer }[] = [];
  let at = HEAD_BYTES;
  while (at + FRAME_BYTES <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + FRAME_BYTES + length;
    if (end > bytes.length) break;
    parts.push({ kind: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end - 4) });
    at = end;
  }
  return parts;
}
