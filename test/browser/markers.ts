/** What is heard is marked on the page of the meter by one tap, also on a telephone. */
import t from 'tap';
import { isFit } from './support/axe.ts';
import { inBrowser, openStage } from './support/stage.ts';
import { untilTrue } from './support/until-true.ts';

inBrowser(t, 'when a marker is tapped, a note has the time of the tap', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', timezone: 'UTC', pollEnabled: false });
  const page = await stage.open('m/roof', { viewport: { width: 390, height: 844 }, hasTouch: true });
  const card = page.getByRole('region', { name: 'Mark what is heard' });
  const before = Date.now();
  await card.getByRole('button', { name: 'Train' }).tap();
  await card.getByText(/^Marked at .*: Train/).waitFor();
  const [train] = await stage.client.notes('roof');
  t.match(train, { kind: 'note', text: 'Train' });
  const [from, to] = [Date.parse(train?.from ?? ''), Date.parse(train?.to ?? '')];
  t.ok(from >= before - 2_000 && from <= Date.now(), `${train?.from} is the time of the tap`);
  t.equal(to - from, 1_000, 'a moment');
  await card.getByRole('button', { name: 'Undo' }).tap();
  await card.getByText('The note is removed.').waitFor();
  t.same(await stage.client.notes('roof'), []);

  // A word of one's own is a button from then on.
  await card.getByLabel('Another word').fill('Crane');
  await page.keyboard.press('Enter');
  await card.getByText(/^Marked at .*: Crane/).waitFor();
  await page.reload();
  await card.getByRole('button', { name: 'Crane' }).tap();
  await card.getByText(/^Marked at .*: Crane/).waitFor();
  t.strictSame(
    (await stage.client.notes('roof')).map(({ text }) => text),
    ['Crane', 'Crane'],
  );
  await untilTrue(page, 'document.documentElement.scrollWidth <= 390');
  await isFit(t, page);
});
