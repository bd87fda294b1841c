/** Log lines for a person at a terminal: time, severity, message, and the rest as name=value. */
import type { LogTarget } from '../log.ts';

/** Severities that a person should not overlook are in capitals. */
const WORDS: Readonly<Record<string, string>> = { warn: 'WARN', error: 'ERROR' };

/** Turns lines of JSON into lines of text. Other text is passed on as it is. */
export const readableLog = (to: LogTarget): LogTarget => ({
  write: (line: string) => void to.write(textOf(line)),
});

function textOf(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, msg, err, ...rest } = entry;
  const at = new Date(String(time)).toLocaleTimeString('en-GB', { hour12: false });
  const more = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`);
  const first = [at, (WORDS[String(level)] ?? String(level)).padEnd(5), String(msg ?? ''), ...more].join(' ');
  return `${harmless(first)}\n${stackOf(err)}`;
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);

/** Texts may come from a meter or a caller: characters that would move the cursor are removed. */
const harmless = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return '';
  const lines = String(error.stack).split('\n');
  return lines.map((line) => `    ${harmless(line)}\n`).join('');
}
