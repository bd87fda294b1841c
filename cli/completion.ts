/** Scripts that complete the words of `slm` in a shell. Names of meters come from `slm units --json` at that moment. */
import { COMMON } from './command-line.ts';
import type { Command, Completion, Option } from './contract.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The possible words at a place of a command line; the shell itself finds `unit` and `file`. */
type Place = { readonly words: readonly string[]; readonly more: 'unit' | 'file' | 'none' };

export function completionFor(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'fish') return fish(commands);
  // zsh reads the completion of bash.
  return shell === 'bash' ? bash(commands) : `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
}

const placeOf = (completion: Completion | undefined): Place => {
  if (completion === undefined) return { words: [], more: 'none' };
  return typeof completion === 'string' ? { words: [], more: completion } : { words: completion, more: 'none' };
};

/** Names of meters, one a line; nothing where the gateway does not answer. */
const UNITS = `slm units --json 2>/dev/null | sed -n 's/^    "unit_id": "\\(.*\\)",*$/\\1/p'`;

const firstWords = (commands: readonly Command[]): string[] => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')),
];
const secondWords = (first: string, commands: readonly Command[]): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));

function bash(commands: readonly Command[]): string {
  const groups = firstWords(commands).filter((first) => secondWords(first, commands).length > 0);
  return `# Completion of slm. Made by: slm completion bash
_slm() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" place=0 at words=""
  COMPREPLY=()
  for (( at = 1; at < COMP_CWORD; at++ )); do
    case "\${COMP_WORDS[at]}" in
      -*) ;;
      *) if [ -z "$command" ]; then command="\${COMP_WORDS[at]}"
         elif [[ " ${groups.join(' ')} " == *" $command "* ]]; then command="$command \${COMP_WORDS[at]}"
         else place=$((place + 1)); fi ;;
    esac
  done
  case "$command:$before" in
${valueCases(commands)}
  esac
  if [[ "$word" == -* ]]; then
    case "$command" in
${optionCases(commands)}
      *) words="${optionWords(COMMON)}" ;;
    esac
  else
    case "$command:$place" in
      :0) words="${firstWords(commands).join(' ')}" ;;
${groups.map((first) => `      ${first}:0) words="${secondWords(first, commands).join(' ')}" ;;`).join('\n')}
${wordCases(commands)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _slm slm
`;
}

function valueCases(commands: readonly Command[]): string {
  const cases = commands.flatMap(({ name, options = [] }) =>
    options.flatMap((option) =>
      option.value === undefined
        ? []
        : [`    "${name}:--${option.name}") ${bashWords(placeOf(option.completion), true)}; return ;;`],
    ),
  );
  return [...cases, `    *:--key-file) ${FILES}; return ;;`, '    *:--url|*:--context) return ;;'].join('\n');
}

const optionCases = (commands: readonly Command[]): string =>
  commands
    .flatMap(({ name, options }) =>
      options ? `      "${name}") words="${optionWords([...options, ...COMMON])}" ;;` : [],
    )
    .join('\n');

const optionWords = (options: readonly Option[]): string => options.map(({ name }) => `--${name}`).join(' ');

function wordCases(commands: readonly Command[]): string {
  return commands
    .flatMap(({ name, words = [] }) =>
      words.flatMap(({ completion, many }, at) =>
        completion === undefined
          ? []
          : [`      "${name}":${many ? '*' : at}) ${bashWords(placeOf(completion), false)} ;;`],
      ),
    )
    .join('\n');
}

const FILES = 'COMPREPLY=($(compgen -f -- "$word"))';

function bashWords({ words, more }: Place, done: boolean): string {
  if (more === 'file') return done ? FILES : `${FILES}; return`;
  const list = more === 'unit' ? `$(${UNITS})` : words.join(' ');
  return done ? `COMPREPLY=($(compgen -W "${list}" -- "$word"))` : `words="${list}"`;
}

function fish(commands: readonly Command[]): string {
  const lines = [
    '# Completion of slm. Made by: slm completion fish',
    'complete -c slm -f',
    `function __slm_units; ${UNITS}; end`,
  ];
  for (const first of firstWords(commands)) {
    const summary =
      commands.find(({ name }) => name === first)?.summary ?? `${first}: ${secondWords(first, commands).join(', ')}`;
    lines.push(`complete -c slm -n __fish_use_subcommand -a ${first} -d ${quoted(summary)}`);
    for (const second of secondWords(first, commands))
      lines.push(`complete -c slm -n '__fish_seen_subcommand_from ${first}' -a ${second}`);
  }
  for (const { name, words = [], options = [] } of commands) {
    const seen = name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    for (const { completion } of words)
      if (completion) lines.push(`complete -c slm -n '${seen}' ${fishWords(placeOf(completion))}`);
    for (const option of options) {
      const value =
        option.value === undefined ? '' : ` -r ${option.completion ? fishWords(placeOf(option.completion)) : ''}`;
      lines.push(
        `complete -c slm -n '${seen}' -l ${option.name}${option.short ? ` -s ${option.short}` : ''}${value} -d ${quoted(option.help)}`.replaceAll(
          '  ',
          ' ',
        ),
      );
    }
  }
  for (const { name, value, help } of COMMON)
    lines.push(`complete -c slm -l ${name}${value === undefined ? '' : ' -r'} -d ${quoted(help)}`);
  return `${lines.join('\n')}\n`;
}

function fishWords({ words, more }: Place): string {
  if (more === 'file') return '-F';
  return `-a ${more === 'unit' ? "'(__slm_units)'" : quoted(words.join(' '))}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
