/** The morning page in a real browser: a sentence and the next step for each site, the days of each meter, and work for people. */
import t from 'tap';
import { isFitInLightAndDark } from './support/axe.ts';
import { Hand } from './support/hand.ts';
import { addMinutes, EVERY_DAY, HOUR_S } from './support/levels.ts';
import { inBrowser, openStage, type Stage } from './support/stage.ts';

inBrowser(t, 'each site and meter by the days of the last week, with what needs a person', async (t) => {
  const stage = await openStage(t);
  const quiet = { pollEnabled: false, timezone: 'UTC', history: 'stream' } as const;
  await stage.addMeter('roof', { ...quiet, name: 'Roof', tags: ['site-a', 'loud', 'mine'] });
  await stage.addMeter('gate', { ...quiet, name: 'Gate', tags: ['site-a', 'mine'] });
  await stage.addMeter('school', { ...quiet, name: 'School', tags: ['mine'], history: 'off' });
  await stage.addMeter('yard', { ...quiet, name: 'Yard', tags: ['mine'] });
  const today = Math.floor(Date.now() / 1_000 / 86_400) * 86_400;
  await addMinutes(stage, { unitId: 'roof', from: today - 2 * 24 * HOUR_S, leq: 62 }, 24 * 60);
  await addMinutes(stage, { unitId: 'roof', from: today - 4 * 24 * HOUR_S, leq: 51 }, 6 * 60);
  await read(stage, 'yard', today - 47 * HOUR_S);
  await addMinutes(stage, { unitId: 'gate', from: today - 2 * 24 * HOUR_S, leq: 48 }, 24 * 60);
  await addMinutes(stage, { unitId: 'gate', from: today - 3 * 24 * HOUR_S, leq: 66 }, 24 * 60);
  await addMinutes(stage, { unitId: 'gate', from: today - 4 * 24 * HOUR_S, leq: 49 }, 24 * 60);
  const limits = [{ index: 'leq', window: '15m', from: '00:00', to: '24:00', days: EVERY_DAY, limit_db: 55 }];
  await stage.client.call('/_permits/site-a', { method: 'PUT', body: { title: 'Site A', tag: 'site-a', limits } });
  const at = (hours: number) => new Date((today - 2 * 24 * HOUR_S + hours * HOUR_S) * 1_000).toISOString();
  await stage.client.addNote('gate', {
    kind: 'exclusion',
    reason: 'own_noise',
    text: 'Hedge',
    from: at(8),
    to: at(10),
  });
  // One wrong click: the loud day as a whole, and ten hours of a quiet one.
  await stage.client.addNote('gate', {
    kind: 'exclusion',
    reason: 'own_noise',
    text: 'Click',
    from: at(-24),
    to: at(0),
  });
  await stage.client.addNote('gate', {
    kind: 'exclusion',
    reason: 'own_noise',
    text: 'Rain',
    from: at(-48),
    to: at(-38),
  });
  const page = await stage.browse('about:blank');
  await page.addInitScript('window.printed = 0; window.print = () => { window.printed += 1; };');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(stage.url);
  const site = page.getByRole('region', { name: 'Site A' });
  await site.waitFor();
  t.ok(asked.filter((path) => path.startsWith('/api')).length <= 9, `few requests: ${asked}`);
  t.match(page.url(), /overview$/, 'it is the first page for whoever may see more than one meter');
  await site.getByText('2 meters, 1 with an exceeded limit').waitFor();
  t.equal(
    await page.locator('.week').getByRole('link', { name: 'Roof', exact: true }).count(),
    1,
    'a meter with two tags is shown once',
  );
  const row = (name: string) =>
    site.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });
  const looks = async (name: string, among = site) =>
    among
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name, exact: true }) })
      .locator('a.day')
      .evaluateAll((cells) => cells.map(({ className }) => className.replace('day ', '')));
  t.strictSame(await looks('Roof'), ['none', 'none', 'partly level-3', 'none', 'exceeded level-5', 'none', 'open']);
  t.strictSame(
    await looks('Gate'),
    ['none', 'none', 'partly level-2', 'excluded', 'within level-2', 'none', 'open'],
    'a day that was excluded is not green, and a day with little counted time is amber',
  );
  t.match(
    await row('Gate').locator('.day.excluded').innerText(),
    /66\.0[\s\S]*excluded by notes/,
    'with the figure that would have counted',
  );
  t.match(await row('Roof').locator('.day.exceeded').innerText(), /62\.0\s+of 55\.0/, 'the worst value and the limit');
  t.match(await row('Roof').locator('.day.partly').innerText(), /51\.0\s+dB Leq\.\s+25 %/);
  const others = page.getByRole('region', { name: 'Other meters' });
  await others.getByText('2 meters, 1 with single readings only').waitFor();
  t.strictSame((await looks('Yard', others)).at(-3), 'readings', 'a meter that is read is not silent');
  await others.getByText('Nothing is recorded here.').waitFor();
  t.match(await row('Gate').locator('.day.within').innerText(), /48\.0[\s\S]*2 h/, 'time that notes exclude is said');
  t.notMatch(await row('Roof').innerText(), /excl/);
  await page.getByRole('button', { name: 'Print all' }).click();
  t.equal(await page.evaluate('window.printed'), 1);
  const paper = await page.pdf({ format: 'A4' });
  t.equal(paper.subarray(0, 5).toString(), '%PDF-', 'it goes on paper');
  await page.emulateMedia({ media: 'print' });
  for (const name of ['Roof', 'Gate', 'Yard', 'School']) {
    const line = page.getByRole('listitem').filter({ hasText: name }).first();
    t.ok(await line.isVisible(), `${name} is on the paper`);
  }
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize({ width: 390, height: 844 });
  const heights = await site
    .locator('.week[aria-hidden] > span')
    .evaluateAll((names) => names.slice(1).map((name) => name.clientHeight));
  t.ok(
    heights.every((height) => height > 0 && height < 30),
    `each day of the week is one line on a telephone: ${heights}`,
  );
  await row('Roof').locator('.day.exceeded').click();
  t.match(page.url(), /\/m\/roof\/history\?from=/, 'a day leads to its history');
});

const MINUTE = 60_000;

inBrowser(
  t,
  'a manager sees the verdict of yesterday, and answers, excludes and sends with one click each',
  async (t) => {
    const stage = await openStage(t);
    const quiet = { pollEnabled: false, timezone: 'UTC', history: 'stream', tags: ['depot'] } as const;
    await stage.addMeter('roof', { ...quiet, name: 'Roof' });
    await stage.addMeter('gate', { ...quiet, name: 'Gate' });
    const now = Date.now();
    const today = Math.floor(now / 1_000 / 86_400) * 86_400;
    const yesterday = today - 24 * HOUR_S;
    await addMinutes(stage, { unitId: 'roof', from: yesterday, leq: 51.8 }, 24 * 60);
    await addMinutes(stage, { unitId: 'gate', from: yesterday, leq: 48 }, 19 * 60);
    const limits = [{ index: 'leq', window: '1h', from: '00:00', to: '12:00', days: EVERY_DAY, limit_db: 55 }];
    const permit = { title: 'Depot', tag: 'depot', limits };
    await stage.client.call('/_permits/depot', { method: 'PUT', body: permit });
    const event = {
      rule: 0,
      rule_name: 'Night',
      severity: 'warning',
      kind: 'level',
      what: 'leq',
      limit: 50,
      unit_id: 'roof',
      worst: 52,
      detail: 'Loud.',
      opened_at: new Date((yesterday + 3_600) * 1_000).toISOString(),
      closed_at: new Date((yesterday + 7_200) * 1_000).toISOString(),
    };
    await stage.client.call('/_alerts/events/import', { method: 'POST', body: { events: [event] } });
    const logged = { time: new Date(now - 350 * 24 * HOUR_S * 1_000).toISOString(), nominal_db: 94, before_db: 94 };
    await stage.client.call('/gate/calibrations', { method: 'POST', body: logged });
    const dayIn = (days: number) => new Date(now + days * 24 * HOUR_S * 1_000).toISOString().slice(0, 10);
    const dates = { verified_until: dayIn(20), sim_valid_until: dayIn(-2) };
    await stage.client.call('/gate/config', { method: 'PUT', body: dates });
    await stage.client.call('/roof/config', { method: 'PUT', body: { verified_until: dayIn(40) } });
    const page = await stage.browse(stage.url);
    const site = page.getByRole('region', { name: 'Depot' });
    const sentence = 'Yesterday within the permit, 3.2 dB to spare; 1 event without a cause; 5 h missing at Gate.';
    await site.getByText(sentence).waitFor();
    const unanswered = await stage.browse('about:blank');
    const problem = { status: 'error', code: 'HISTORY_BUSY', detail: 'The history is busy.' };
    await unanswered.route(/_verdicts/, (route) => route.fulfill({ status: 503, json: problem }));
    await unanswered.goto(stage.url, { waitUntil: 'networkidle' });
    await unanswered.getByText('The verdict about yesterday is being asked for').waitFor();
    t.equal(await unanswered.getByText(/No limit of the permit applied/).count(), 0, 'no answer is no verdict');
    await unanswered.close();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Gate: The calibration is due on / })
      .waitFor();
    const tasks = page.getByRole('region', { name: 'Will need a person' });
    t.match(
      (await tasks.getByRole('listitem').allTextContents()).map((words) => words.replace(/ on \S.*| until \S.*/, '')),
      ['Gate: The calibration is due', 'Gate: The legal verification ends', 'Gate: The SIM card was valid'],
      'what ends in thirty days, and what has ended; nothing of a date that is further away',
    );
    t.equal(await page.getByRole('region', { name: 'Needs a person' }).getByRole('link').count(), 1);

    await isFitInLightAndDark(t, page);
    await page.setViewportSize({ width: 390, height: 844 });
    t.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, 'on a telephone');
    await page.setViewportSize({ width: 1440, height: 900 });
    const hand = new Hand(page);
    await hand.click(site.getByRole('link', { name: 'Answer' }));
    t.match(page.url(), /\/alerts\/1$/, 'the event, after one click');
    await hand.button('Railway');
    await page.getByText('Its cause is Railway.').waitFor();
    await page.goBack();
    await site.getByText('3.2 dB to spare; 5 h missing at Gate.').waitFor();
    t.equal(await site.getByRole('link', { name: 'Answer' }).count(), 0);
    await hand.click(site.getByRole('link', { name: 'Exclude time' }));
    await page.getByText('This covers 24 h').waitFor();
    t.match(page.url(), /m\/roof\/history/, 'the meter that decides, with yesterday chosen');
    await page.goBack();
    await hand.click(site.getByRole('link', { name: 'Send the report' }));
    hand.count(t, 'an event is answered, a time to exclude, a report to send', 4);
    t.ok(await page.getByRole('group', { name: 'Meters' }).getByLabel('Roof').isChecked(), 'the form is for the site');
    const report = { name: 'Depot, weekly', units: ['roof', 'gate'], period: 'week', formats: ['pdf'] };
    await stage.client.call('/_reports', { method: 'POST', body: report });
    await page.goBack();
    await site.getByRole('link', { name: 'Send the report' }).click();
    const kept = page.locator('li[aria-current=true]');
    await kept.getByRole('button', { name: 'Run now Depot, weekly' }).waitFor();
    await page.reload();
    await kept.waitFor();

    // The next quarter of an hour may begin meanwhile, and then nothing was measured in it.
    const [minute] = [Math.floor(Date.now() / MINUTE) * 60];
    const loud = [{ ...limits[0], window: '1h', to: '24:00' }];
    await stage.client.call('/_permits/depot', { method: 'PUT', body: { ...permit, limits: loud } });
    await addMinutes(stage, { unitId: 'gate', from: minute - 300, leq: 62 }, 5);
    await page.goto(`${stage.url}overview`);
    await site.getByText(/Gate: 62\.0 dB may go on for \d|Gate: the limit of the time until/).waitFor();
  },
);

async function read({ gateway }: Stage, unitId: string, at: number): Promise<void> {
  const seconds = [{ at, steps: 0, leq: null, lmax: null, lmin: null, lpeak: null, lp: [47.3] }];
  gateway.history.append({ unitId, source: 'poll', weighting: { frequency: 'A', time: 'F' }, seconds });
  await gateway.history.flush();
}
