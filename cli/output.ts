/** The result of a command: a text for a person, or JSON for a program. */
import type { CommandCall } from './contract.ts';
import { harmless } from './text-table.ts';

/** Prints `data` as JSON if this was asked for, else the text. */
export function printed(
  { json, terminal }: Pick<CommandCall, 'json' | 'terminal'>,
  data: unknown,
  text: () => string,
): undefined {
  const lines = () => text().split('\n').map(harmless).join('\n');
  terminal.write(`${json ? JSON.stringify(data, undefined, 2) : lines()}\n`);
}

/** One JSON object a line, for what does not end. */
export const printedLine = ({ terminal }: Pick<CommandCall, 'terminal'>, data: unknown): void =>
  terminal.write(`${JSON.stringify(data)}\n`);
