/** What a command found: a text for a person, or JSON for a program. */
import type { Call } from './contract.ts';

export function printed(
  { json, terminal }: Pick<Call, 'json' | 'terminal'>,
  data: unknown,
  text: () => string,
): undefined {
  terminal.write(json ? `${JSON.stringify(data, undefined, 2)}\n` : `${text()}\n`);
}

/** One JSON object a line, for what does not end. */
export const printedLine = ({ terminal }: Pick<Call, 'terminal'>, data: unknown): void =>
  terminal.write(`${JSON.stringify(data)}\n`);
