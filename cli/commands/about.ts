/** Commands about `slm` itself: help, version, completion of the shell. */
import manifest from '../../package.json' with { type: 'json' };
import { completionFor, SHELLS, type Shell } from '../completion.ts';
import { type Command, WrongWords } from '../contract.ts';
import { helpOf, helpOfAll } from '../help.ts';
import { printed } from '../output.ts';

/** `commands` is asked when one of them runs: these are three of them. */
export const about = (commands: () => readonly Command[]): readonly Command[] => [
  {
    name: 'completion',
    summary: 'Print the script with which the shell completes commands of slm',
    words: [{ name: 'SHELL', completion: SHELLS }],
    examples: [
      'slm completion bash > ~/.local/share/bash-completion/completions/slm',
      'slm completion zsh > ~/.slm-completion.zsh',
      'slm completion fish > ~/.config/fish/completions/slm.fish',
    ],
    notes: [
      'In zsh, add to ~/.zshrc after compinit: source ~/.slm-completion.zsh',
      'The names of meters come from the gateway, with the address and the key of the environment.',
    ],
    async run({ words: { SHELL = '' }, terminal }) {
      if (!isShell(SHELL)) throw new WrongWords(`${JSON.stringify(SHELL)} is none of ${SHELLS.join(', ')}`);
      terminal.write(completionFor(SHELL, commands()));
      return undefined;
    },
  },
  {
    name: 'help',
    summary: 'Explain a command, or list all of them',
    words: [{ name: 'COMMAND', optional: true, many: true }],
    examples: ['slm help', 'slm help live', 'slm help cycle start'],
    async run({ rest, terminal }) {
      terminal.write(helpText(rest, commands()));
      return undefined;
    },
  },
  {
    name: 'version',
    summary: 'Print the version of slm',
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

const isShell = (word: string): word is Shell => (SHELLS as readonly string[]).includes(word);
