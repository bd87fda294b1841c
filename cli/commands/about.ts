/** Commands about `slm` itself. */
import manifest from '../../package.json' with { type: 'json' };
import type { Command } from '../contract.ts';
import { WrongWords } from '../contract.ts';
import { helpOf, helpOfAll } from '../help.ts';
import { printed } from '../output.ts';

/** `commands` is asked when one of them runs: they are two of these. */
export const about = (commands: () => readonly Command[]): readonly Command[] => [
  {
    name: 'help',
    summary: 'Explain a command, or list all of them',
    words: [{ name: 'COMMAND', optional: true, many: true }],
    options: [],
    examples: ['slm help', 'slm help live', 'slm help cycle start'],
    async run({ rest, terminal }) {
      terminal.write(helpText(rest, commands()));
      return undefined;
    },
  },
  {
    name: 'version',
    summary: 'Print the version of slm',
    words: [],
    options: [],
    examples: ['slm version', 'slm version --json'],
    run: async (call) => printed(call, { version: manifest.version }, () => manifest.version),
  },
];

function helpText(words: readonly string[], commands: readonly Command[]): string {
  const name = words.join(' ');
  const one = commands.find((command) => command.name === name);
  if (one) return helpOf(one);
  if (name === '' || commands.some((command) => command.name.startsWith(`${name} `))) return helpOfAll(commands, name);
  throw new WrongWords(`${JSON.stringify(name)} is not a command; slm help lists them`);
}
