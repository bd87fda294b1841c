/** The button "Evidence": a package of the shown span is made and saved, and it is whole. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { Client } from '../../client/index.ts';
import { unzip } from '../support/unzip.ts';
import { HOUR_S } from './support/levels.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('days, history and assessment make a package of what they show', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t, { timezone: 'UTC' });
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', history: 'stream' });
  const { history } = stage.gateway;
  const begin = Math.floor(Date.now() / 1_000 / HOUR_S) * HOUR_S - 3 * HOUR_S;
  const intervals = Array.from({ length: 60 }, (_, minute) => ({
    ...{ at: begin + minute * 60, duration: 60, leq: 60, lmax: 65, lmin: 55, lpeak: null },
  }));
  history.append({ unitId: 'roof', source: 'import', weighting: { frequency: 'A', time: 'F' }, intervals });
  await history.flush();
  const client = new Client({ baseUrl: stage.gateway.baseUrl });
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
  const { data } = await client.call<{ data: { include: string[] }[] }>('/roof/evidence');
  t.equal(data.length, 3);

  const { data: key } = await client.call<{ data: { fingerprint: string } }>('/_evidence/key');
  await page.goto(`${stage.url}settings`);
  await page.getByText(key.fingerprint).waitFor();
});
