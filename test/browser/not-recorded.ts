/** A history for which there is no room, in a real browser: every page says so, and stops saying so. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { smallDisk } from '../support/small-disk.ts';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'the first page and the page of a meter say that no levels are recorded', async (t) => {
  const place = await smallDisk(t, 24);
  if ('reason' in place) {
    t.comment(`not tried: ${place.reason}`);
    return;
  }
  const stage = await openStage(t, { data_dir: join(place.disk, 'data'), history_min_free_mb: 10 });
  await stage.addMeter('roof', { history: 'poll' });
  const page = await stage.open('');
  await page.getByRole('link', { name: 'roof' }).first().waitFor();
  const sentence = page.getByRole('alert').getByText('No levels are recorded: there is no room for them.');
  t.equal(await sentence.count(), 0);

  const filler = join(place.disk, 'filler');
  await mkdir(filler);
  await writeFile(join(filler, 'all'), Buffer.alloc(15_500_000));
  await sentence.waitFor();
  await page.goto(`${stage.url}m/roof`);
  await sentence.waitFor();
  t.equal(await sentence.count(), 1);

  await rm(filler, { recursive: true });
  await sentence.waitFor({ state: 'detached' });
});
