/** Kept reports: their settings, their times, and their documents. */
import type { schemas } from '../../client/index.ts';
import { CHANNEL } from '../command-line.ts';
import { type Command, type CommandCall, type Option, WrongWords } from '../contract.ts';
import { download } from '../download.ts';
import { EXIT } from '../exit-codes.ts';
import { youngest } from '../list.ts';
import { moment, printed, size, table, text } from '../output.ts';
import { spanOf } from '../times.ts';
import { SAID_OPTIONS } from './assessment.ts';
import { ended, finish } from './jobs.ts';

const REPORT = { name: 'ID' } as const;
const LISTS: readonly string[] = ['formats', 'targets'];

/** Fields of the API that a person gives as they are. */
const FIELDS: readonly Option[] = [
  {
    name: 'period',
    value: 'PERIOD',
    help: 'day, week, month or none (none)',
    completion: ['day', 'week', 'month', 'none'],
  },
  { name: 'at', value: 'TIME', help: 'when it is due, by the clock of the zone (06:00)' },
  { name: 'zone', value: 'NAME', help: 'time zone (that of the first unit)' },
  { name: 'formats', value: 'NAMES', help: 'such as pdf,csv (pdf)' },
  { name: 'targets', value: 'IDS', help: 'who gets it: mail targets of alerts, separated by commas' },
  { ...CHANNEL, help: 'channel of the meters that all figures are of, such as sub1 (main)' },
  { name: 'template', value: 'NAME', help: 'which sections: a name of slm templates (full)' },
  { name: 'letterhead', value: 'NAME', help: 'head of the pages: a name of slm letterheads (none)' },
  { name: 'periods', value: 'NAME', help: 'periods of the day, as --preset of slm indices (eu)' },
  { name: 'paper', value: 'NAME', help: 'of a PDF: a4 or letter (a4)', completion: ['a4', 'letter'] },
  { name: 'preset', value: 'NAME', help: 'whose limits: a name of slm assessment presets (eu-lden)' },
  { name: 'area', value: 'NAME', help: 'whose limits count: an area of the preset' },
  { name: 'calendar', value: 'NAME', help: 'holidays' },
  ...SAID_OPTIONS,
  { name: 'lang', value: 'LANGUAGE', help: 'of words, numbers and dates, such as de (en)' },
  { name: 'title', value: 'TEXT', help: 'title (the names of the units)' },
  { name: 'remarks', value: 'TEXT', help: 'text below the title' },
];

/** `reports`, `reports add`, `reports run`, `reports documents`, `reports get`, `reports remove`. */
export const REPORTS: readonly Command[] = [
  {
    name: 'reports',
    summary: 'List the reports that are kept: when each is due, and how the last run ended',
    words: [],
    options: [],
    examples: ['slm reports'],
    async run(call) {
      const reports = await call.client().reports();
      const head = ['id', 'name', 'units', 'period', 'next', 'last run', 'warnings'];
      return printed(call, reports, () => table(head, reports.map(reportRow), 'No reports.'));
    },
  },
  {
    name: 'reports add',
    summary: 'Keep a report, made every day, week or month, or when you ask',
    words: [{ name: 'NAME' }, { name: 'UNIT', many: true, completion: 'unit' }],
    options: FIELDS,
    examples: [
      'slm reports add "Week of the bridge" roof --period week --at 06:00 --limits lden:58 --targets 1',
      'slm reports add Permit roof yard --preset de-ta-laerm --area WA --formats pdf,csv',
      'slm reports add "Factory" yard --preset uk-bs4142 --residual 45 --background 42 --tonal day:2,night:0',
      'slm reports add "C of the roof" roof --channel sub1 --template levels',
    ],
    async run(call) {
      const answer = await call.client().addReport(bodyFrom(call));
      return printed(call, answer.data, () => `${answer.message} Its id is ${answer.data.id}.`);
    },
  },
  {
    name: 'reports run',
    summary: 'Make the documents of a report now',
    words: [REPORT],
    options: [
      { name: 'from', value: 'TIME', help: 'begin (the last whole period of the report): 7d ago, a date, a time' },
      { name: 'to', value: 'TIME', help: 'end, not included (now)' },
      { name: 'mail', help: 'its targets get it, too' },
    ],
    examples: ['slm reports run 1', 'slm reports run 1 --from 2026-11-01 --to 2026-11-08 --mail'],
    notes: ['Ctrl-C leaves the gateway at work: slm jobs shows it.'],
    run: make,
  },
  {
    name: 'reports documents',
    summary: 'List the documents of a report, the newest first',
    words: [REPORT],
    options: [],
    examples: ['slm reports documents 1'],
    async run(call) {
      const documents = await youngest<schemas.KeptReportDocument>(call, `${pathOf(call)}/documents`, {});
      return printed(call, documents, () => documentTable(documents));
    },
  },
  {
    name: 'reports get',
    summary: 'Download a document of a report',
    words: [REPORT, { name: 'DOCUMENT' }],
    options: [
      { name: 'output', value: 'FILE', help: 'where to (report-ID-DOCUMENT with its ending)' },
      { name: 'force', help: 'replace a file that is there' },
    ],
    examples: ['slm reports get 1 12-pdf --output week.pdf'],
    run: get,
  },
  {
    name: 'reports remove',
    summary: 'Remove a report with all its documents',
    words: [REPORT],
    options: [],
    examples: ['slm reports remove 1'],
    async run(call) {
      const answer = await call.client().removeReport(idOf(call));
      return printed(call, answer, () => answer.message);
    },
  },
];

function idOf({ words: { ID: id = '' } }: CommandCall): string {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new WrongWords('ID is the number of a report: slm reports');
  return id;
}

const pathOf = (call: CommandCall): string => `/_reports/${idOf(call)}`;

function bodyFrom({ words, rest, options }: CommandCall): schemas.CreateReportBody {
  const given = FIELDS.flatMap(({ name }) => {
    const value = options[name];
    if (typeof value !== 'string') return [];
    return [[name.replace('-', '_'), LISTS.includes(name) ? value.split(',').filter(Boolean) : value]];
  });
  return { ...Object.fromEntries(given), name: words.NAME ?? '', units: rest };
}

async function make(call: CommandCall): Promise<number> {
  const { options, terminal } = call;
  const id = idOf(call);
  const client = call.client();
  const isAsked = options.from !== undefined || options.to !== undefined;
  const zoneOf = async () => (await client.report(id)).zone;
  const span = isAsked ? await spanOf(options, '7d', terminal.now(), zoneOf) : {};
  const { job } = await client.runReport(id, { ...span, ...(options.mail === true && { mail: 'true' }) });
  const end = await ended(call, job);
  if (end.state !== 'done') return finish(call, end);
  const { documents } = end.result as { readonly documents: readonly schemas.KeptReportDocument[] };
  printed(call, documents, () => documentTable(documents));
  return EXIT.done;
}

async function get(call: CommandCall): Promise<undefined> {
  const { DOCUMENT: document = '' } = call.words;
  if (!/^[1-9]\d{0,14}-[a-z]{3,4}$/.test(document))
    throw new WrongWords('DOCUMENT is one such as 12-pdf: slm reports documents ID');
  const { output, force } = call.options;
  const usual = `report-${idOf(call)}-${document.replace('-', '.')}`;
  const target = typeof output === 'string' ? output : usual;
  const open = (from: number, etag: string | undefined) =>
    call.client().open(`${pathOf(call)}/documents/${document}`, { query: {}, from, etag, signal: call.signal });
  const { terminal, signal } = call;
  const bytes = await download(open, { target, force: force === true, terminal, signal });
  return printed(call, { file: target, bytes }, () => `${target}: ${size(bytes)}`);
}

const reportRow = ({ id, name, units, period, next_due_at, last_run, warnings }: schemas.KeptReport): string[] => [
  ...[id, text(name), units.join(' '), period, moment(next_due_at)],
  ...[last_run ? `${last_run.state} ${moment(last_run.ended_at)}` : '-', text(warnings.join(' '))],
];

const documentTable = (documents: readonly schemas.KeptReportDocument[]): string =>
  table(
    ['id', 'from', 'to', 'size', 'made', 'late', 'sha-256'],
    documents.map(({ id, from, to, bytes, made_at, late, sha256 }) => [
      ...[id, moment(from), moment(to), size(bytes), moment(made_at), late ? 'yes' : 'no', sha256],
    ]),
    'No documents.',
  );
