/** The wall screen does not show the level of a calibrator. */
import t from 'tap';
import { Client } from '../../client/index.ts';
import { NO_BROWSER, openStage } from './support/stage.ts';

t.test('while a calibration is excluded, the wall shows the word and no level', { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  const client = new Client({ baseUrl: stage.gateway.baseUrl });
  const page = await stage.open('wall');
  const tile = page.getByRole('listitem').filter({ hasText: 'Roof' });
  await tile.filter({ hasText: /\d\d\.\d dB/ }).waitFor();
  await client.addNote('roof', { kind: 'exclusion', reason: 'calibration' });
  await page.reload();
  await tile.filter({ hasText: 'Calibration' }).waitFor();
  t.match(await tile.innerText(), /–\s*dB/);
  t.notMatch(await tile.innerText(), /\d\d\.\d/);
});
