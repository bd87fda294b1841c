/** Forms of reports: templates (the sections and their order) and letterheads (lines and a logo). */
import { readFile, stat } from 'node:fs/promises';
import { GatewayProblem, type schemas } from '../../client/index.ts';
import { type Command, type CommandCall, WrongWords } from '../contract.ts';
import { printed, size, table, text } from '../output.ts';

const NAME = { name: 'NAME' } as const;

/** `templates`, `templates set`, `templates remove`, `letterheads`, `letterheads set`, `letterheads remove`. */
export const REPORT_FORMS: readonly Command[] = [
  {
    name: 'templates',
    summary: 'List the templates of reports',
    words: [],
    options: [],
    examples: ['slm templates'],
    async run(call) {
      const all = await call.client().reportTemplates();
      const rows = all.map(({ name, title, sections, built_in }) => [
        ...[name, text(title), sections.join(','), built_in ? 'the gateway' : 'you'],
      ]);
      return printed(call, all, () => table(['name', 'title', 'sections', 'from'], rows, 'No templates.'));
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
    options: [],
    examples: ['slm templates remove permit'],
    notes: ['A kept report that names it cannot be made any more, and says so.'],
    async run(call) {
      const answer = await call.client().removeReportTemplate(nameOf(call));
      return printed(call, answer, () => answer.message);
    },
  },
  {
    name: 'letterheads',
    summary: 'List the letterheads of reports',
    words: [],
    options: [],
    examples: ['slm letterheads'],
    async run(call) {
      const all = await call.client().reportLetterheads();
      const rows = all.map(({ name, lines, logo }) => [name, text(lines.join(' / ')), logo ?? 'none']);
      return printed(call, all, () => table(['name', 'lines', 'logo (SHA-256)'], rows, 'No letterheads.'));
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
    options: [],
    examples: ['slm letterheads remove office'],
    notes: ['A kept report that names it cannot be made any more, and says so.'],
    async run(call) {
      const answer = await call.client().removeReportLetterhead(nameOf(call));
      return printed(call, answer, () => answer.message);
    },
  },
];

const nameOf = ({ words: { NAME: name = '' } }: CommandCall): string => name;

/** Undefined for an unknown name. */
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
  const { title, sections, titles } = call.options;
  const [client, name] = [call.client(), nameOf(call)];
  const present = await ifThere(client.reportTemplate(name));
  const wanted = typeof sections === 'string' ? (sections.split(',').filter(Boolean) as Section[]) : present?.sections;
  if (wanted === undefined) throw new WrongWords('a new template needs --sections');
  // A title of a section that was left out would have no place.
  const kept = Object.entries(present?.titles ?? {}).filter(([section]) => wanted.some((one) => one === section));
  const body = {
    title: typeof title === 'string' ? title : (present?.title ?? name),
    sections: wanted,
    titles: typeof titles === 'string' ? titlesIn(titles) : Object.fromEntries(kept),
  };
  const answer = await client.changeReportTemplate(name, body);
  return printed(call, answer.data, () => answer.message);
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
  const answer = await client.changeReportLetterhead(name, { lines, logo });
  return printed(call, answer.data, () => answer.message);
}

/** As the gateway takes it, bytes. */
const MOST_LOGO_BYTES = 1_000_000;

/** As Base64. The gateway finds out the kind of picture. */
async function logoIn(path: string): Promise<string> {
  const unreadable = () => new WrongWords(`the file ${path} cannot be read`);
  const { size: bytes } = await stat(path).catch(() => Promise.reject(unreadable()));
  if (bytes > MOST_LOGO_BYTES) throw new WrongWords(`the file ${path} has ${size(bytes)}; a logo may have 1 MB`);
  return (await readFile(path).catch(() => Promise.reject(unreadable()))).toString('base64');
}
