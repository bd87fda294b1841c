/** docs/api.md held to the code: codes, close codes, presets, limits, and the client that it shows. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { ERRORS } from '../../lib/errors.ts';
import { PROPERTIES } from '../../lib/settings/schema.ts';
import { openWorld } from '../support/world.ts';

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const EXAMPLE = new URL('../../docs/examples/watch.mjs', import.meta.url);

t.test('every code on the page exists, and has the status before it', async (t) => {
  const named = [...text.matchAll(/(?:(\d{3}) )?`([A-Z]{3,}(?:_[A-Z]+)+)`/g)];
  t.ok(named.length > 10);
  for (const [, status, code = ''] of named) {
    const known = Object.entries(ERRORS).find(([name]) => name === code)?.[1];
    t.ok(known, code);
    if (status) t.equal(String(known?.status), status, code);
  }
});

t.test('the limits that the page names are the defaults', async (t) => {
  for (const [words, value] of [
    ['at most 30 s (`request_deadline_ms`)', PROPERTIES.request_deadline_ms.default === 30_000],
    ['pings every 25 s', PROPERTIES.ws_ping_ms.default === 25_000],
    ['not answered for 55 s', PROPERTIES.ws_dead_ms.default === 55_000],
    ['quiet for half a minute, the gateway sends `Measure?`', PROPERTIES.idle_check_ms.default === 30_000],
  ] as const) {
    t.ok(text.includes(words), words);
    t.ok(value, words);
  }
});

t.test('the client that the page shows is the example, and it works', async (t) => {
  const [, shown] = /<!-- example -->\n```js\n([\s\S]*?)```/.exec(text) ?? [];
  t.equal(shown, readFileSync(EXAMPLE, 'utf8'));
  const { watch } = (await import(EXAMPLE.href)) as {
    watch(url: string, options: { say(words: string): void }): () => void;
  };
  const world = await openWorld(t);
  const heard: string[] = [];
  const say = (words: string) => void heard.push(words);
  const leave = watch(`${world.base.replace('http', 'ws')}/sim-1/live`, { say });
  await world.until('frames', () => heard.filter((words) => /^\d{4}-.* \d+\.\d dB$/.test(words)).length > 3);
  await world.get('/sim-1/battery');
  await world.until('it goes on', () => heard.some((words) => words.startsWith('the stream is ok')));
  t.ok(heard.some((words) => words.startsWith('the stream is interrupted: A command has the meter')));
  leave();
  await world.until('it has left', () => heard.some((words) => words.startsWith('closed with 1000')));
});

t.test('refused before the upgrade, it says so', async (t) => {
  const { watch } = (await import(EXAMPLE.href)) as {
    watch(url: string, options: { say(words: string): void }): () => void;
  };
  const world = await openWorld(t);
  const heard: string[] = [];
  const leave = watch(`${world.base.replace('http', 'ws')}/nowhere/live`, { say: (words) => void heard.push(words) });
  await world.until('it is told', () => heard.includes('refused with 404'));
  await world.until('the socket is closed', () => heard.some((words) => words.startsWith('closed')));
  leave();
});
