/** The tables of the documentation say what the code says. `npm run docs` writes them. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import t from 'tap';
import { filled, pages } from '../../docs/tables.ts';

t.test('every table of the documentation is up to date', async (t) => {
  const made = new Map<string, string>();
  for (const page of await pages()) {
    const text = await readFile(page, 'utf8');
    t.equal(await filled(text, made), text, `${basename(page.pathname)}: run npm run docs`);
  }
  t.strictSame([...made.keys()].sort(), [
    'calendars',
    'checks',
    'commands',
    'errors',
    'exits',
    'faults',
    'most',
    'routes',
    'rules',
    'settings',
    'slm',
    'switches',
    'targets',
  ]);
});

t.test('a table that nobody makes is named', (t) =>
  t.rejects(filled('<!-- table:moon -->\n<!-- /table -->'), /there is no table moon/),
);
