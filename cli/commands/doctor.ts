/** Why does this meter not work? */
import type { Command, CommandCall } from '../contract.ts';
import { EXIT } from '../exit-codes.ts';
import { harmless, printed } from '../output.ts';

interface Finding {
  readonly check: string;
  readonly outcome: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly advice: string | null;
  readonly command: string | null;
}

const WORDS: Readonly<Record<Finding['outcome'], string>> = {
  ok: '  ok  ',
  warning: ' look ',
  failed: 'WRONG ',
  skipped: '  -   ',
};

export const DOCTOR: readonly Command[] = [
  {
    name: 'doctor',
    summary: 'Check what is wrong with a meter, and say what to do',
    words: [{ name: 'UNIT', completion: 'unit' }],
    options: [],
    examples: ['slm doctor roof', 'slm doctor roof --json'],
    notes: [
      'It asks the meter about ten questions, which takes about ten seconds, and changes nothing. Exit code 8: something is wrong.',
    ],
    run: doctor,
  },
];

async function doctor(call: CommandCall): Promise<number> {
  const path = `/${encodeURIComponent(call.words.UNIT ?? '')}/doctor`;
  const { data } = await call
    .client()
    .call<{ data: { readonly healthy: boolean; readonly checks: readonly Finding[] } }>(path, { signal: call.signal });
  printed(call, data, () => [...data.checks.map(lines), '', verdict(data.checks)].join('\n'));
  return data.healthy ? EXIT.done : EXIT.problemFound;
}

function lines({ check, outcome, detail, advice, command }: Finding): string {
  const more = (label: string, text: string | null) =>
    text === null ? [] : [`${' '.repeat(9)}${label}: ${harmless(text)}`];
  return [
    `[${WORDS[outcome]}] ${check.padEnd(15)} ${harmless(detail)}`,
    ...more('What to do', advice),
    ...more('Command', command),
  ].join('\n');
}

function verdict(checks: readonly Finding[]): string {
  const wrong = checks.filter(({ outcome }) => outcome === 'failed').length;
  const odd = checks.filter(({ outcome }) => outcome === 'warning').length;
  if (wrong > 0) return `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong.`;
  return odd > 0 ? `It works; ${odd === 1 ? 'one thing' : `${odd} things`} to check.` : 'All is well.';
}
