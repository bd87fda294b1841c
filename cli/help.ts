/** The text of `--help`, from the table of commands. */
import { COMMON, shownWord } from './command-line.ts';
import type { Command, Option } from './contract.ts';
import { EXIT, MEANINGS } from './exit-codes.ts';
import { columns } from './output.ts';

const HEAD = `slm: work with sound level meters through their gateway

  slm COMMAND [WORDS] [OPTIONS]`;

const TAIL = `slm COMMAND --help explains a command and shows examples.
The API key is read from SLM_API_KEY, or from a file; it is never taken from the command line, because other users can see it.`;

export function helpOfAll(commands: readonly Command[], group: string): string {
  const shown = commands.filter(({ name }) => group === '' || name.startsWith(`${group} `));
  const rows = shown.map(({ name, words = [], summary }) => [[name, ...words.map(shownWord)].join(' '), summary]);
  return [HEAD, indented(columns(rows)), optionsText(COMMON), exitCodes(), TAIL].join('\n\n').concat('\n');
}

export function helpOf({ name, summary, words = [], options = [], examples, notes = [] }: Command): string {
  const usage = ['slm', name, ...words.map(shownWord), ...(options.length > 0 ? ['[OPTIONS]'] : [])].join(' ');
  const parts = [
    usage,
    [`${summary}.`, ...notes].join('\n'),
    ...(options.length > 0 ? [optionsText(options)] : []),
    `Options of every command:\n${optionsText(COMMON)}`,
    `Examples:\n${examples.map((line) => `  ${line}`).join('\n')}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const optionText = ({ name, short, value }: Option): string =>
  `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`;

const optionsText = (options: readonly Option[]): string =>
  indented(columns(options.map((option) => [optionText(option), option.help])));

const exitCodes = (): string =>
  `Exit codes:\n${indented(columns(Object.entries(EXIT).map(([name, code]) => [String(code), MEANINGS[name as keyof typeof EXIT]])))}`;

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');
