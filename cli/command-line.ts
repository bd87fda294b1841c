/** From the words of the command line to a command with its words and options. Runs nothing. */
import { parseArgs } from 'node:util';
import { type Command, type CommandCall, type Option, type Options, type Word, WrongWords } from './contract.ts';

/** Every command takes these. A key has no option: other users of a computer can read command lines. */
export const COMMON: readonly Option[] = [
  {
    name: 'url',
    value: 'URL',
    help: 'address of the gateway with its base path (SLM_URL; http://127.0.0.1:8100/api/nl43)',
  },
  {
    name: 'key-file',
    value: 'FILE',
    help: 'file with the API key (SLM_API_KEY_FILE; ~/.config/slm/key if it exists)',
    completion: 'file',
  },
  { name: 'context', value: 'NAME', help: 'a gateway by its name, see slm context list (SLM_CONTEXT)' },
  { name: 'json', help: 'print JSON, for programs' },
  { name: 'help', short: 'h', help: 'explain the command' },
];

interface Read {
  readonly command: Command | undefined;
  /** The words that name a group, such as `cycle`, where no command was named. */
  readonly group: string;
  readonly words: Readonly<Record<string, string>>;
  readonly rest: readonly string[];
  readonly options: Options;
}

/** Throws WrongWords. */
export function readCommandLine(argv: readonly string[], commands: readonly Command[]): Read {
  const command = longest(argv, commands);
  const own = command?.options ?? [];
  const { values, positionals } = parse(argv, [...own, ...COMMON, ...(command ? [] : VERSION)]);
  if (!command) return { command, group: groupOf(positionals, commands), words: {}, rest: [], options: values };
  const given = positionals.slice(command.name.split(' ').length);
  const { words, rest } = values.help === true ? { words: {}, rest: [] } : named(command, given);
  return { command, group: '', words, rest, options: values };
}

const VERSION: readonly Option[] = [{ name: 'version', short: 'v', help: 'print the version' }];

/** The command may have two words. Options may come before it if their value follows a `=`. */
function longest(argv: readonly string[], commands: readonly Command[]): Command | undefined {
  const words = positionalsOf(argv);
  const two = words.slice(0, 2).join(' ');
  return commands.find(({ name }) => name === two) ?? commands.find(({ name }) => name === words[0]);
}

/** The words before it is known which options take a value: those of all commands are known by name here. */
function positionalsOf(argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (['--url', '--key-file', '--context'].includes(word)) at += 1;
    else if (!word.startsWith('-')) words.push(word);
  }
  return words;
}

function groupOf([first = '']: readonly string[], commands: readonly Command[]): string {
  if (first === '' || commands.some(({ name }) => name.startsWith(`${first} `))) return first;
  throw new WrongWords(`${JSON.stringify(first)} is not a command; slm --help lists them`);
}

function parse(argv: readonly string[], options: readonly Option[]) {
  const known = Object.fromEntries(
    options.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: known, allowPositionals: true });
    return { values: values as Options, positionals };
  } catch (error) {
    throw new WrongWords(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function named({ name, words = [] }: Command, given: readonly string[]) {
  const found: Record<string, string> = {};
  const rest: string[] = [];
  given.forEach((text, at) => {
    const word = words[Math.min(at, words.length - 1)];
    if (!word || (at >= words.length && !word.many))
      throw new WrongWords(`${JSON.stringify(text)} is one word too many`);
    if (word.many) rest.push(text);
    found[word.name] ??= text;
  });
  const missing = words.find((word) => !word.optional && found[word.name] === undefined);
  if (missing) throw new WrongWords(`${missing.name} is missing: slm ${name} ${words.map(shownWord).join(' ')}`);
  return { words: found, rest };
}

/** As in the help: `[NAME]` may be left out, `NAME...` may come several times. */
export function shownWord({ name, optional, many }: Word): string {
  const text = many ? `${name}...` : name;
  return optional ? `[${text}]` : text;
}

export const CHANNEL: Option = {
  name: 'channel',
  value: 'NAME',
  help: 'a recorded channel of the meter: main, sub1 ... (main)',
  completion: ['main', 'sub1', 'sub2', 'sub3'],
};

/** The values of these options, by the names of the API: a dash is an underscore there. Options without a value are left out. */
export const givenIn = (options: Options, ...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = options[name];
      return typeof value === 'string' ? [[name.replaceAll('-', '_'), value]] : [];
    }),
  );

export const listIn = (given: string): string[] => given.split(',').flatMap((word) => word.trim() || []);

export const unitPath = ({ words: { UNIT = '' } }: Pick<CommandCall, 'words'>): string =>
  `/${encodeURIComponent(UNIT)}`;

export const UNIT = { name: 'UNIT', completion: 'unit' } as const;
