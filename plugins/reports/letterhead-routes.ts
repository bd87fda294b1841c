/** Letterheads by the API. */
import {
  callerOf,
  GatewayError,
  type Host,
  invalid,
  json,
  named,
  orNull,
  type Schema,
  settable,
  UNIT_ID,
} from '../../lib/index.ts';
import { type LetterheadBody, letterheadOf, logoOf } from './letterheads.ts';
import { MOST_NAMED, type NamedStore } from './named-store.ts';
import { type PdfPrinter, UnprintableError } from './pdf/printer.ts';
import { LINE, NAME_WORDS } from './schemas.ts';
import { isWholeLogo } from './whole-logo.ts';

const NAME = {
  name: { type: 'string', pattern: UNIT_ID, description: `the name of a letterhead: ${NAME_WORDS}`, example: 'office' },
};
const LINES: Schema = {
  ...{ type: 'array', items: { type: 'string', maxLength: 100, pattern: LINE }, maxItems: 6 },
  description: 'Each below the other.',
};
const LOGO: Schema = {
  // How large it may be is said in bytes, by `logoOf`.
  ...orNull({ type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  description: 'A PNG or JPEG as Base64, at most 1 MB and 2,000 pixels on a side; null: none.',
};
const SHOWN: Schema = named('ReportLetterheadFull', { name: { type: 'string' }, lines: LINES, logo: LOGO });
const LISTED: Schema = named('ReportLetterheadListed', {
  ...{ name: { type: 'string' }, lines: LINES },
  logo: { type: ['string', 'null'], description: 'SHA-256 of the picture; null: there is none.' },
});

type Given = Partial<LetterheadBody>;
type Store = NamedStore<LetterheadBody>;

/** `/_reports/letterheads` and what is below it. */
export function addLetterheads(host: Host, store: Store, printer: PdfPrinter): void {
  host.route({
    method: 'GET',
    path: '/_reports/letterheads',
    access: 'viewer',
    filtersUnits: true,
    operation: 'listReportLetterheads',
    summary: 'List the letterheads of reports',
    answer: { data: { type: 'array', items: LISTED } },
    etag: true,
    errors: [],
    handle: () => ({ data: store.list().map(([name, body]) => ({ name, ...letterheadOf(body) })) }),
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
    handle: ({ params: { name = '' } }) => ({ data: { name, ...neededLetterhead(store, name) } }),
  });
  addChanges(host, store, printer);
}

function addChanges(host: Host, store: Store, printer: PdfPrinter): void {
  host.route<Given, unknown>({
    method: 'PUT',
    path: '/_reports/letterheads/{name}',
    params: NAME,
    access: 'admin',
    operation: 'changeReportLetterhead',
    summary: 'Write a letterhead of reports, or replace one',
    description: `At most ${MOST_NAMED}. Reports name it with \`letterhead\`.`,
    body: {
      type: 'object',
      properties: { name: NAME.name, lines: LINES, logo: LOGO },
      additionalProperties: false,
      example: { lines: ['Acoustics Office', '1 Example Street'], logo: null },
    },
    // So that one of up to 2 MB hears what is wrong with it.
    bodyBytes: 2_800_000,
    answer: { message: { type: 'string' }, data: LISTED },
    statuses: [200, 201],
    errors: ['BUSY', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, body, before, caller, identity }) {
      const present = store.find(name);
      before(present ? letterheadOf(present) : null);
      const { lines = [], logo = null } = settable(body, ['name'], name);
      const signal = AbortSignal.any([caller.signal, host.signal]);
      await tryPrint(printer, { lines, logo }, callerOf(identity), signal);
      await store.put(name, { lines, logo });
      const message = `The letterhead ${name} is ${present ? 'changed' : 'created'}.`;
      const data = { name, ...letterheadOf({ lines, logo }) };
      return json({ message, data }, present ? {} : { status: 201, location: `/_reports/letterheads/${name}` });
    },
  });
  host.route({
    method: 'DELETE',
    path: '/_reports/letterheads/{name}',
    params: NAME,
    access: 'admin',
    operation: 'removeReportLetterhead',
    summary: 'Remove a letterhead of reports',
    description: 'A kept report that names it cannot be made any more, and says so.',
    answer: { message: { type: 'string' } },
    errors: ['REPORT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params: { name = '' }, before }) {
      before(letterheadOf(neededLetterhead(store, name)));
      await store.remove(name);
      return { message: `The letterhead ${name} is removed.` };
    },
  });
}

/** A picture can be broken behind its head: what cannot be printed is refused now. Errors: INVALID; as of `PdfPrinter.print`. */
async function tryPrint(printer: PdfPrinter, body: LetterheadBody, caller: string, signal: AbortSignal): Promise<void> {
  const logo = logoOf(body);
  if (!logo) return;
  if (!(await isWholeLogo(logo.mediaType, logo.bytes))) throw broken();
  const [from, to] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  const about = { title: '-', template: '', lang: 'en', from, to, period: '', remarks: '', units: [] } as const;
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

/** Errors: REPORT_NOT_FOUND. */
function neededLetterhead(store: Store, name: string): LetterheadBody {
  const found = store.find(name);
  if (!found) throw new GatewayError('REPORT_NOT_FOUND', `There is no letterhead ${name}.`);
  return found;
}
