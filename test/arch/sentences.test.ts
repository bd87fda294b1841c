/** A message for callers is one plain sentence: it begins with a capital letter and ends with a full stop. */
import t from 'tap';
import { sourceFiles } from './source.ts';

/** Where the expression that begins at `from` ends: at a comma, a semicolon or a bracket that was not opened in it. */
function endOf(text: string, from: number): number {
  const open: string[] = [];
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const inside = open.at(-1);
    if (inside === "'" || inside === '"' || inside === '`') {
      if (char === '\\') at += 1;
      else if (char === inside) open.pop();
      else if (inside === '`' && text.startsWith('${', at)) {
        open.push('{');
        at += 1;
      }
      continue;
    }
    if (`'"\``.includes(char)) open.push(char);
    else if ('({['.includes(char)) open.push(char);
    else if (')}]'.includes(char)) {
      if (open.length === 0) return at;
      open.pop();
    } else if (open.length === 0 && (char === ',' || char === ';')) return at;
  }
  return text.length;
}

/** The text of the detail; of a name, what the constant before it was given. Undefined: it comes from elsewhere. */
function detailAt(text: string, from: number): string | undefined {
  const detail = text.slice(from, endOf(text, from)).trim();
  if (/^['"`]/.test(detail)) return detail;
  const given = /^\w+$/.test(detail) ? [...text.slice(0, from).matchAll(new RegExp(`const ${detail} =\\s*`, 'g'))] : [];
  const last = given.at(-1);
  const begin = last && last.index + last[0].length;
  return begin !== undefined && /^['"`]/.test(text.slice(begin))
    ? text.slice(begin, endOf(text, begin)).trim()
    : undefined;
}

const isSentence = (detail: string): boolean => {
  const begins = /^['"`]([A-Z]|\$\{)/.test(detail);
  const ends = /(\.|\})['"`]$/.test(detail) || !/['"`]$/.test(detail);
  return begins && ends;
};

t.test('the detail of every error begins with a capital letter and ends with a full stop', async (t) => {
  const details = [...sourceFiles('lib'), ...sourceFiles('plugins')].flatMap(({ path, text }) => {
    const calls = [...text.matchAll(/new GatewayError\(/g)].flatMap(({ index }) => {
      const first = index + 'new GatewayError('.length;
      return detailAt(text, endOf(text, first) + 1) ?? [];
    });
    return calls.map((detail) => `${path}: ${detail}`);
  });
  t.ok(details.length > 150, `${details.length} are seen`);
  t.strictSame(
    details.filter((line) => !isSentence(line.slice(line.indexOf(': ') + 2))),
    [],
  );
});
