/** The button "Evidence": a package of the shown span is made and saved, and it is whole. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { unzip } from '../support/unzip.ts';
import { addMinutes, HOUR_S } from './support/levels.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(
  t,
  'a meter without packages says how to make a package, and a list of packages that fails says so',
  async (t) => {
    const stage = await openStage(t);
    await stage.addMeter('roof');
    const page = await stage.open('m/roof/evidence');
    await page.getByText('None yet. The button "Evidence"').waitFor();
    await page.route('**/roof/evidence?*', (route) =>
      route.fulfill({ status: 500, json: { code: 'STORAGE_FAILED', detail: 'The disk does not answer.' } }),
    );
    await page.reload();
    await page.getByText('The disk does not answer.').waitFor();
  },
);

inBrowser(t, 'days, history and assessment make a package of what they show', async (t) => {
  const stage = await openStage(t, { timezone: 'UTC' });
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
  const begin = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S - 3 * HOUR_S;
  await addMinutes(stage, { from: begin, leq: 60 }, 60);
  const page = await stage.open('m/roof/days');
  for (const address of ['days', 'history', 'assessment']) {
    await page.goto(`${stage.url}m/roof/${address}`);
    await page.getByRole('button', { name: 'Evidence' }).click();
    const link = page.getByRole('link', { name: 'Save the package' });
    await link.waitFor();
    await page.getByText('Not stamped: no time stamp server is set.').waitFor();
    const saving = page.waitForEvent('download');
    await link.click();
    const saved = await saving;
    const names = [...(await unzip(await readFile(await saved.path()))).keys()];
    t.ok(names.some((name) => /^levels\/.*\.csv$/.test(name)) && names.includes('signature/envelope.json'), address);
  }
  const { data } = await stage.client.call<{ data: { id: string; sha256: string; fingerprint: string }[] }>(
    '/roof/evidence',
  );
  t.equal(data.length, 3);

  const opened = await page.goto(`${stage.url}m/roof/evidence`);
  t.equal(opened?.status(), 200, 'the page has an address of its own');
  const rows = page.locator('tbody tr');
  await rows.nth(2).waitFor();
  t.equal(await rows.count(), 3);
  const [newest] = data;
  await rows
    .first()
    .getByText(newest?.fingerprint ?? 'none')
    .waitFor();
  await rows.first().getByText('Not stamped: no time stamp server is set.').waitFor();
  const saving = page.waitForEvent('download');
  await rows
    .first()
    .getByRole('link', { name: `Save package ${newest?.id}` })
    .click();
  const bytes = await readFile(await (await saving).path());
  t.equal(createHash('sha256').update(bytes).digest('hex'), newest?.sha256, 'the package that the row is about');

  const { data: key } = await stage.client.call<{ data: { fingerprint: string } }>('/_evidence/key');
  await page.goto(`${stage.url}settings/gateway`);
  await page.getByText(key.fingerprint).waitFor();
});
