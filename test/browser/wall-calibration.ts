/** The wall screen shows no level of a calibrator, and keeps what goes on red. */
import t from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'while a calibration is excluded, the wall shows the word and no level', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  const page = await stage.open('wall');
  const tile = page.getByRole('listitem').filter({ hasText: 'Roof' });
  await tile.filter({ hasText: /\d\d\.\d dB/ }).waitFor();
  await stage.client.addNote('roof', { kind: 'exclusion', reason: 'calibration' });
  await page.reload();
  await tile.filter({ hasText: 'Calibration' }).waitFor();
  t.match(await tile.innerText(), /–\s*dB/);
  t.notMatch(await tile.innerText(), /\d\d\.\d/);
});

inBrowser(t, 'when an alert is acknowledged and goes on, its tile stays red and says so', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC' });
  const rule = { name: 'Standstill', units: ['roof'], kind: 'device', condition: 'not_measuring', for: '0s' } as const;
  await stage.client.addAlertRule(rule);
  const page = await stage.open('wall');
  const tile = page.locator('.tile.loud').filter({ hasText: 'Roof' });
  await tile.filter({ hasText: 'Standstill' }).waitFor();
  const [event] = await stage.client.alerts({ open: 'true' });
  await stage.client.acknowledge(event?.id ?? '', 'On the way.');
  await tile.filter({ hasText: 'Standstill: Acknowledged by local user. On the way.' }).waitFor();
  t.equal(await page.locator('.tile.loud').count(), 1);
});
