/** Problems of inputs as the page has them: each usual problem of the gateway has words in every language. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { isGatewayError } from '../../lib/errors.ts';
import { compileBody, compileParameters } from '../../lib/http/checks.ts';
import { pathWords, problemText } from '../../web/ui/problem-text.ts';
import { shortOf } from '../../web/words/languages.ts';
import { addWords } from '../../web/words/say.ts';

const BODY = compileBody({
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 3 },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    level: { type: 'number' },
    kind: { type: 'string', enum: ['one', 'two'] },
    units: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true },
    days: { type: 'array', items: { type: 'string' }, minItems: 2 },
    zone: { type: 'string', format: 'timezone' },
    day: { type: 'string', format: 'date' },
  },
  required: ['name'],
});
const QUERY = compileParameters({ zone: { type: 'string' } });

function problemOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    if (isGatewayError(error)) return error.errors?.[0]?.message ?? '';
  }
  return '';
}

t.test('each usual problem of the gateway has words of the page', async (t) => {
  const messages = [
    {},
    { name: 'a' },
    { name: 'long' },
    { name: 'abc', count: 0 },
    { name: 'abc', count: 6 },
    { name: 'abc', count: 1.5 },
    { name: 'abc', level: 'loud' },
    { name: 'abc', kind: 'three' },
    { name: 'abc', units: [] },
    { name: 'abc', units: ['a', 'b', 'c'] },
    { name: 'abc', units: ['a', 'a'] },
    { name: 'abc', days: ['a'] },
    { name: 'abc', zone: 'Europe/Atlantis' },
    { name: 'abc', day: '2026-02-30' },
  ].map((body) => problemOf(() => BODY(body)));
  messages.push(problemOf(() => QUERY({ zone: ['UTC', 'UTC'] })));
  t.strictSame(
    messages.filter((message) => message === ''),
    [],
    'each input is refused',
  );
  const table: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(new URL('../../config/words/de.json', import.meta.url), 'utf8'),
  );
  addWords(Object.fromEntries(Object.entries(table).map(([text, words]) => [shortOf(text), words])));
  // Other files in this process expect English.
  const english = Object.keys(table).map((text) => [shortOf(text), text.split(' ## ')[0] ?? text]);
  t.teardown(() => addWords(Object.fromEntries(english)));
  t.strictSame(
    messages.filter((message) => problemText(message) === message),
    [],
    'and said in German',
  );
  t.equal(problemText('must be >= 3.5'), 'muss mindestens 3.5 sein');
  t.equal(problemText('is no mail target of alerts'), 'is no mail target of alerts', 'another problem stays as it is');
});

t.test('the path of a refused value is shown in words, and counts from 1', async (t) => {
  t.equal(pathWords('/to/0'), 'to 1');
  t.equal(pathWords('/rules/2/limit_db'), 'rules 3, limit db');
  t.equal(pathWords('/0'), '1', 'below a field of the form');
  t.equal(pathWords(''), '');
});
