/** Kept reports: their settings, their times, their documents, and their forms: templates and letterheads. */

import { readFile, stat } from 'node:fs/promises';
import { GatewayProblem, type schemas } from '../../client/index.ts';
import { CHANNEL, givenIn, listIn } from '../command-line.ts';
import { type Command, type CommandCall, type Option, WrongWords } from '../contract.ts';
import { FORCE, saveFile } from '../download.ts';
import { EXIT } from '../exit-codes.ts';
import { youngest } from '../list.ts';
import { moment, printed, printedData, printedMessage, printedRows, size, text } from '../output.ts';
import { spanOf } from '../times.ts';
import { SAID_OPTIONS } from './assessment.ts';
import { ended, finish } from './jobs.ts';

const REPORT = { name: 'ID' } as const;
const NAME = { name: 'NAME' } as const;
const LISTS: readonly string[] = ['formats', 'targets'];

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

export const REPORTS: readonly Command[] = [
  {
    name: 'reports',
    summary: 'List the reports that are kept: when each is due, and how the last run ended',
    examples: ['slm reports'],
    run(call) {
      const head = ['id', 'name', 'units', 'period', 'next', 'last run', 'warnings'];
      return printedRows(call, call.client().reports(), head, reportRow, 'No reports.');
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
    examples: ['slm reports documents 1'],
    run: (call) => printedDocuments(call, youngest<Document>(call, `${pathOf(call)}/documents`, {})),
  },
  {
    name: 'reports get',
    summary: 'Download a document of a report',
    words: [REPORT, { name: 'DOCUMENT' }],
    options: [{ name: 'output', value: 'FILE', help: 'where to (report-ID-DOCUMENT with its ending)' }, FORCE],
    examples: ['slm reports get 1 12-pdf --output week.pdf'],
    run: get,
  },
  {
    name: 'reports remove',
    summary: 'Remove a report with all its documents',
    words: [REPORT],
    examples: ['slm reports remove 1'],
    run: async (call) => printedMessage(call, call.client().removeReport(idOf(call))),
  },
  {
    name: 'templates',
    summary: 'List the templates of reports',
    examples: ['slm templates'],
    run(call) {
      const head = ['name', 'title', 'sections', 'from'];
      return printedRows(call, call.client().reportTemplates(), head, templateRow, 'No templates.');
    },
  },
  {
    name: 'templates set',
    summary: 'Write a template of reports, or change one; what is left out stays as it is',
    words: [NAME],
    options: [
      { name: 'title', value: 'TEXT', help: 'what it is called' },
      { name: 'sections', value: 'A,B', help: 'which sections, in their order: those of the template full' },
      { name: 'titles', value: 'A=TEXT;B=TEXT', help: 'titles of sections in the place of those of the language' },
    ],
    examples: [
      'slm templates set permit --title "For the permit" --sections limits,charts --titles "limits=Permit 12/345"',
    ],
    run: setTemplate,
  },
  {
    name: 'templates remove',
    summary: 'Remove a template that somebody wrote',
    words: [NAME],
    examples: ['slm templates remove permit'],
    notes: ['A kept report that names it cannot be made any more, and says so.'],
    run: (call) => printedMessage(call, call.client().removeReportTemplate(nameOf(call))),
  },
  {
    name: 'letterheads',
    summary: 'List the letterheads of reports',
    examples: ['slm letterheads'],
    run(call) {
      const head = ['name', 'lines', 'logo (SHA-256)'];
      return printedRows(call, call.client().reportLetterheads(), head, letterheadRow, 'No letterheads.');
    },
  },
  {
    name: 'letterheads set',
    summary: 'Write a letterhead of reports, or change one; what is left out stays as it is',
    words: [NAME, { name: 'LINE', optional: true, many: true }],
    options: [
      { name: 'logo', value: 'FILE', help: 'a PNG or JPEG, at most 1 MB', completion: 'file' },
      { name: 'without-logo', help: 'no logo any more' },
    ],
    examples: ['slm letterheads set office "Acoustics Office" "1 Example Street" --logo logo.png'],
    run: setLetterhead,
  },
  {
    name: 'letterheads remove',
    summary: 'Remove a letterhead of reports',
    words: [NAME],
    examples: ['slm letterheads remove office'],
    notes: ['A kept report that names it cannot be made any more, and says so.'],
    run: (call) => printedMessage(call, call.client().removeReportLetterhead(nameOf(call))),
  },
];

function idOf({ words: { ID: id = '' } }: CommandCall): string {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new WrongWords('ID is the number of a report: slm reports');
  return id;
}

const pathOf = (call: CommandCall): string => `/_reports/${idOf(call)}`;

function bodyFrom({ words, rest, options }: CommandCall): schemas.CreateReportBody {
  const given = Object.entries(givenIn(options, ...FIELDS.map(({ name }) => name)));
  const fields = given.map(([name, value]) => [name, LISTS.includes(name) ? listIn(value) : value]);
  return { ...Object.fromEntries(fields), name: words.NAME ?? '', units: rest };
}

async function make(call: CommandCall): Promise<number> {
  const { options } = call;
  const id = idOf(call);
  const client = call.client();
  const isAsked = options.from !== undefined || options.to !== undefined;
  const zoneOf = async () => (await client.report(id)).zone;
  const span = isAsked ? await spanOf(call, '7d', zoneOf) : {};
  const { job } = await client.runReport(id, { ...span, ...(options.mail === true && { mail: 'true' }) });
  const end = await ended(call, job);
  if (end.state !== 'done') return finish(call, end);
  const { documents } = end.result as { readonly documents: readonly schemas.KeptReportDocument[] };
  await printedDocuments(call, documents);
  return EXIT.done;
}

async function get(call: CommandCall): Promise<undefined> {
  const { DOCUMENT: document = '' } = call.words;
  if (!/^[1-9]\d{0,14}-[a-z]{3,4}$/.test(document))
    throw new WrongWords('DOCUMENT is one such as 12-pdf: slm reports documents ID');
  const { output = `report-${idOf(call)}-${document.replace('-', '.')}` } = call.options;
  return saveFile(call, String(output), `${pathOf(call)}/documents/${document}`);
}

const templateRow = ({ name, title, sections, built_in }: schemas.ReportTemplate): string[] => [
  ...[name, text(title), sections.join(','), built_in ? 'the gateway' : 'you'],
];

const letterheadRow = ({ name, lines, logo }: schemas.ReportLetterhead & { readonly name: string }): string[] => [
  ...[name, text(lines.join(' / ')), logo ?? 'none'],
];

const reportRow = ({ id, name, units, period, next_due_at, last_run, warnings }: schemas.KeptReport): string[] => [
  ...[id, text(name), units.join(' '), period, moment(next_due_at)],
  ...[last_run ? `${last_run.state} ${moment(last_run.ended_at)}` : '-', text(warnings.join(' '))],
];

type Document = schemas.KeptReportDocument;

const printedDocuments = (call: CommandCall, documents: readonly Document[] | Promise<readonly Document[]>) =>
  printedRows(call, documents, ['id', 'from', 'to', 'size', 'made', 'late', 'sha-256'], documentRow, 'No documents.');

const documentRow = ({ id, from, to, bytes, made_at, late, sha256 }: Document): string[] => [
  ...[id, moment(from), moment(to), size(bytes), moment(made_at), late ? 'yes' : 'no', sha256],
];

const nameOf = ({ words: { NAME: name = '' } }: CommandCall): string => name;

async function ifThere<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GatewayProblem && error.status === 404) return undefined;
    throw error;
  }
}

type Section = schemas.ReportTemplate['sections'][number];

async function setTemplate(call: CommandCall): Promise<undefined> {
  const { title, sections, titles } = givenIn(call.options, 'title', 'sections', 'titles');
  const [client, name] = [call.client(), nameOf(call)];
  const present = await ifThere(client.reportTemplate(name));
  const wanted = sections === undefined ? present?.sections : (listIn(sections) as Section[]);
  if (wanted === undefined) throw new WrongWords('a new template needs --sections');
  // A title of a section that was left out would have no place.
  const kept = Object.entries(present?.titles ?? {}).filter(([section]) => wanted.some((one) => one === section));
  const body = {
    title: title ?? present?.title ?? name,
    sections: wanted,
    titles: titles === undefined ? Object.fromEntries(kept) : titlesIn(titles),
  };
  return printedData(call, client.changeReportTemplate(name, body));
}

/** `limits=Permit 12/345;charts=Levels`. */
function titlesIn(words: string): Readonly<Record<string, string>> {
  const pairs = words.split(';').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, section, title] = /^\s*([a-z]+)=(.*)$/.exec(pair) ?? [];
      if (section === undefined || title === undefined)
        throw new WrongWords('--titles is such as "limits=Permit 12/345;charts=Levels"');
      return [section, title.trim()];
    }),
  );
}

async function setLetterhead(call: CommandCall): Promise<undefined> {
  const { logo: file, 'without-logo': without } = call.options;
  if (typeof file === 'string' && without === true) throw new WrongWords('--logo or --without-logo, not both');
  const [client, name] = [call.client(), nameOf(call)];
  const given = typeof file === 'string' ? await logoIn(file) : undefined;
  const present = await ifThere(client.reportLetterhead(name));
  const lines = call.rest.length > 0 ? call.rest : (present?.lines ?? []);
  const logo = without === true ? null : (given ?? present?.logo ?? null);
  return printedData(call, client.changeReportLetterhead(name, { lines, logo }));
}

const MOST_LOGO_BYTES = 1_000_000;

/** As Base64. The gateway finds out the kind of picture. */
async function logoIn(path: string): Promise<string> {
  const unreadable = () => new WrongWords(`the file ${path} cannot be read`);
  const { size: bytes } = await stat(path).catch(() => Promise.reject(unreadable()));
  if (bytes > MOST_LOGO_BYTES) throw new WrongWords(`the file ${path} has ${size(bytes)}; a logo may have 1 MB`);
  return (await readFile(path).catch(() => Promise.reject(unreadable()))).toString('base64');
}
