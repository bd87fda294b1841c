/** What goes into a package: one small function for each word of `include`, one table of them, and the text that says what they are. */
import type { Readable } from 'node:stream';
import { STORED_COLUMNS, zones } from '../../lib/built-in.ts';
import { type Host, isGatewayError, type Request } from '../../lib/index.ts';
import type { PackagePart } from './archive.ts';

export interface Gathering {
  readonly host: Pick<Host, 'ask' | 'audit' | 'configs' | 'stored'>;
  readonly unitId: string;
  /** Ms since 1970 UTC. */
  readonly span: zones.Span;
  readonly zone: string;
  /** Asks routes of other plugins with it. */
  readonly request: Request;
  readonly signal: AbortSignal;
}

/** Gives its files in the order of their paths. */
type Gather = (gathering: Gathering) => AsyncGenerator<PackagePart>;

const ALL_VERSIONS = Object.freeze({ versions: true, limit: 50 });

export type Kind = 'alerts' | 'audit' | 'calibrations' | 'clock' | 'files' | 'levels' | 'notes' | 'report' | 'settings';

/** In the order of the paths of their files, as packages are sorted. The seals of days belong to the levels. */
export const GATHERERS: readonly (readonly [kind: Kind, gather: Gather])[] = [
  ['alerts', listPart('alerts.json', '/_alerts/events', ({ unitId }) => ({ unit: unitId, limit: 1_000 }))],
  ['audit', auditPart],
  ['calibrations', listPart('calibrations.json', '/{unit_id}/calibrations', () => ALL_VERSIONS, { spanless: true })],
  ['clock', clockPart],
  ['files', filesParts],
  ['levels', levelParts],
  ['notes', listPart('notes.json', '/{unit_id}/notes', () => ALL_VERSIONS)],
  ['report', reportPart],
  ['levels', sealsPart],
  ['settings', settingsPart],
];

/** All of them, sorted. */
export const KIND_NAMES: readonly Kind[] = [...new Set(GATHERERS.map(([kind]) => kind))];

const DAY_MS = 86_400_000;
/** RFC 3339. */
export const utcText = (ms: number): string => new Date(ms).toISOString();
const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

interface Page {
  readonly data: readonly unknown[];
  readonly next: string | null;
}

async function* pagesOf(gathering: Gathering, path: string, query: object): AsyncGenerator<Page['data']> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    gathering.signal.throwIfAborted();
    const asked = { ...query, ...(cursor !== undefined && { cursor }) };
    const page = await jsonOf<Page>(gathering, path, asked);
    yield page.data;
    cursor = page.next;
  }
}

function listPart(
  file: string,
  path: string,
  query: (gathering: Gathering) => object,
  { spanless = false } = {},
): Gather {
  return async function* (gathering) {
    const { from, to } = gathering.span;
    const span = spanless ? {} : { from: utcText(from), to: utcText(to) };
    const all: unknown[] = [];
    for await (const page of pagesOf(gathering, path, { ...query(gathering), ...span })) all.push(...page);
    yield { path: file, content: pretty(all) };
  };
}

/** Records of the span about the unit, as they are in the log: another form would not fit their hashes. */
async function* auditPart({ host, unitId, span, signal }: Gathering): AsyncGenerator<PackagePart> {
  const [from, to] = [utcText(span.from), utcText(span.to)];
  const lines: string[] = [];
  for (let before: number | undefined; ; ) {
    signal.throwIfAborted();
    const page = await host.audit.read({ unitId, before, limit: 1_000, units: [unitId] });
    lines.push(...page.filter(({ at }) => at >= from && at < to).map((record) => `${JSON.stringify(record)}\n`));
    const last = page.at(-1);
    if (!last || last.at < from) break;
    before = last.n;
  }
  yield { path: 'audit.jsonl', content: lines.reverse().join('') };
}

interface ClockReading {
  readonly at: string;
  readonly ahead_s: number;
  readonly uncertainty_s: number;
}

async function* clockPart(gathering: Gathering): AsyncGenerator<PackagePart> {
  const { from, to } = gathering.span;
  const query = { from: utcText(from), to: utcText(to), limit: 1_000 };
  const lines = ['at,ahead_s,uncertainty_s'];
  for await (const page of pagesOf(gathering, '/{unit_id}/clock/readings', query))
    for (const { at, ahead_s, uncertainty_s } of page as readonly ClockReading[])
      lines.push(`${at},${ahead_s},${uncertainty_s}`);
  yield { path: 'clock.csv', content: `${lines.join('\n')}\n`, table: true };
}

const TABLES = ['intervals', 'minutes', 'seconds'] as const;

async function* levelParts({ host, unitId, span, zone, signal }: Gathering): AsyncGenerator<PackagePart> {
  for (const day of zones.calendarSpans(zone, span, 'day')) {
    const from = Math.ceil(Math.max(day.from, span.from) / 1_000);
    const to = Math.ceil(Math.min(day.to, span.to) / 1_000);
    for (const kind of TABLES) {
      signal.throwIfAborted();
      const pages = host.stored.lines({ unitId, kind, from, to }, signal)[Symbol.asyncIterator]();
      const first = await pages.next();
      if (first.done) continue;
      const content = lines(STORED_COLUMNS[kind].join(), first.value, pages);
      yield { path: `levels/${day.name}/${kind}.csv`, content, table: true };
    }
  }
}

/** So many rows at once: what an hour of them needs while it is hashed would outlive the small collections of garbage. */
const SLICE = 200;

async function* lines(
  header: string,
  first: readonly string[],
  further: AsyncIterator<readonly string[]>,
): AsyncGenerator<string> {
  yield `${header}\n`;
  for (let page = first; ; ) {
    for (let row = 0; row < page.length; row += SLICE) yield `${page.slice(row, row + SLICE).join('\n')}\n`;
    const next = await further.next();
    if (next.done) return;
    page = next.value;
  }
}

interface KeptFile {
  readonly path: string;
  readonly card: number;
  readonly modified: string;
  readonly sha256: string | null;
}

/** Copies of the present card that were changed on a day of the span, the day before or the day after: the clock of a meter has no zone. */
async function* filesParts(gathering: Gathering): AsyncGenerator<PackagePart> {
  const { host, request, span } = gathering;
  const [first, last] = [utcText(span.from - DAY_MS).slice(0, 10), utcText(span.to + DAY_MS).slice(0, 10)];
  const files: (KeptFile & { readonly name: string })[] = [];
  for await (const page of pagesOf(gathering, '/{unit_id}/files', { limit: 1_000 }))
    for (const file of page as readonly KeptFile[]) {
      const day = dayOf(file);
      if (file.sha256 !== null && day >= first && day <= last) files.push({ ...file, name: nameOf(file) });
    }
  files.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const { name, path, card, sha256 } of files) {
    const query = { path, card, sha256 };
    const { content } = await host.ask(request, { method: 'GET', path: '/{unit_id}/files/content', query });
    if (content.kind !== 'file') throw new Error('the copy of a file does not come as a file');
    yield { path: name, content: opened(content.bytes) };
  }
}

/** `2025-12-24T02:13:00`, or `Dec 24 2025` where the meter listed no time of day. */
const dayOf = ({ modified }: KeptFile): string =>
  modified.includes('T') ? modified.slice(0, 10) : utcText(Date.parse(`${modified} UTC`)).slice(0, 10);

/** What a name of a card has that no folder of a computer may have is written as in an address. */
const nameOf = ({ card, path }: KeptFile): string =>
  `files/${card}${path.split('/').map(encodeURIComponent).join('/').replaceAll('%20', ' ')}`;

async function* opened(bytes: Readable | (() => Readable | Promise<Readable>)): AsyncGenerator<Uint8Array> {
  yield* typeof bytes === 'function' ? await bytes() : bytes;
}

/** What a config says about the place. Where the meter is reached, and by which password, is nobody's business. */
const PLACE_FIELDS = ['family', 'name', 'place', 'latitude', 'longitude', 'timezone', 'tags', 'history'] as const;

async function* settingsPart(gathering: Gathering): AsyncGenerator<PackagePart> {
  const { data } = await jsonOf<{ data: Readonly<Record<string, unknown>> }>(gathering, '/{unit_id}/config', {});
  const config = Object.fromEntries(PLACE_FIELDS.flatMap((name) => (name in data ? [[name, data[name]]] : [])));
  yield {
    path: 'settings.json',
    content: pretty({ unit_id: gathering.unitId, config, ...(await meterSettings(gathering)) }),
  };
}

/** What the meter was set to when the span began, and what changed in it. */
async function meterSettings(gathering: Gathering) {
  const { from, to } = gathering.span;
  const changes: unknown[] = [];
  let settings: readonly unknown[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { from: utcText(from), to: utcText(to), limit: 1_000, ...(cursor !== undefined && { cursor }) };
    const asked = jsonOf<Page & { in_force: readonly unknown[] }>(gathering, '/{unit_id}/settings/changes', query);
    // Without the plugin that keeps them.
    const page = await asked.catch(noRoute);
    if (!page) return {};
    changes.push(...page.data);
    settings = page.in_force;
    cursor = page.next;
  }
  return { meter_settings: settings, meter_setting_changes: changes };
}

/** The page that people read, without what depends on when it is written. */
async function* reportPart({ host, request, span, zone }: Gathering): AsyncGenerator<PackagePart> {
  const query = { from: utcText(span.from), to: utcText(span.to), zone, dated: false };
  const { content } = await host.ask(request, { method: 'GET', path: '/{unit_id}/report', query });
  if (content.kind !== 'text') throw new Error('the report does not come as text');
  yield { path: 'report.html', content: content.text };
}

/** Where no day is sealed, there is no such file. */
async function* sealsPart(gathering: Gathering): AsyncGenerator<PackagePart> {
  const days = zones.calendarSpans(gathering.zone, gathering.span, 'day');
  const query = { from: days[0]?.name, to: days.at(-1)?.name };
  const { data } = await jsonOf<{ data: readonly unknown[] }>(gathering, '/{unit_id}/seals', query);
  if (data.length > 0) yield { path: 'seals.json', content: pretty(data) };
}

function noRoute(error: unknown): undefined {
  if (!isGatewayError(error, 'NOT_FOUND')) throw error;
}

async function jsonOf<Answer>({ host, request }: Gathering, path: string, query: object): Promise<Answer> {
  const { content } = await host.ask(request, { method: 'GET', path, query: { ...query } });
  if (content.kind !== 'json') throw new Error(`GET ${path} does not answer with JSON`);
  return content.data as Answer;
}

const WORDS: Readonly<Record<Kind, string>> = {
  alerts: 'alerts.json: events of alerts',
  audit: 'audit.jsonl: records of the audit log about the unit, with the hashes of their chain',
  calibrations: 'calibrations.json: all checks with a sound calibrator, with all their versions',
  clock: 'clock.csv: how far the clock of the meter was ahead of that of the gateway, whenever they were compared',
  files:
    'files/CARD/...: files of the card of the meter that were changed between the day before the span and the day after it, as they are',
  levels: 'levels/DAY/...: the levels as they are stored, one local day each; seals.json: the seals of these days',
  notes: 'notes.json: notes and exclusions of the span, with all their versions',
  report: 'report.html: the report of the span, with the indices of each day',
  settings: 'settings.json: the place, the settings of the meter and how they changed, without addresses and passwords',
};

/** The text for the person who unpacks a package: the same for the same package. */
export const readme = (unitId: string, include: readonly Kind[]): string => `Evidence of the sound level meter ${unitId}

This package holds levels of a sound level meter and what belongs to them. manifest.json has a hash of each file, and
the folder signature has the signature over it. Nobody can change a file without being found out.

What is in it:
${include.map((kind) => `- ${WORDS[kind]}`).join('\n')}

How to check it. Take a program that you got another way, if you doubt this package:
- slm verify PACKAGE.zip
- verify.html in a browser; it works without a network
- python3 verify.py PACKAGE.zip

signature/timestamp.tsr is the time stamp of an independent authority over the signature. If it is not there, the package
is not stamped, and the programs show why; the signed statement in signature/envelope.json has the reason.

Compare the fingerprint of the key that they show with the one that you got on paper, by telephone or in the contract.
`;
