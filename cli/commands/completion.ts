/** Completion of the shell: made from the table of commands. */
import { completionFor, SHELLS, type Shell } from '../completion.ts';
import { type Command, WrongWords } from '../contract.ts';

const isShell = (word: string): word is Shell => (SHELLS as readonly string[]).includes(word);

/** `commands` is asked when it runs: this command is one of them. */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print the script with which the shell completes commands of slm',
  words: [{ name: 'SHELL', completion: SHELLS }],
  options: [],
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
});
