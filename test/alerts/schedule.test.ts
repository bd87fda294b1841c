/** When a rule applies, by the clock of its place. */
import t from 'tap';
import { type Windowed, windowAt, windowProblems } from '../../plugins/alerts/rules/level/clock-watch.ts';
import { isScheduled, type WeeklyHours } from '../../plugins/alerts/rules/rule.ts';

const BERLIN = 'Europe/Berlin';
const utc = (text: string) => Date.parse(`${text}Z`);
const on = (schedule: WeeklyHours[], text: string, zone = BERLIN) => isScheduled(schedule, zone, utc(text));

t.test('days and times are those of the local clock', async (t) => {
  const work: WeeklyHours[] = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '07:00', to: '19:00' }];
  t.equal(on(work, '2026-11-23T05:59:59'), false, 'Monday 06:59:59');
  t.equal(on(work, '2026-11-23T06:00:00'), true, 'Monday 07:00');
  t.equal(on(work, '2026-07-20T05:00:00'), true, 'in summer an hour earlier');
  t.equal(on(work, '2026-11-23T18:00:00'), false, 'the end does not belong to it');
  t.equal(on(work, '2026-11-22T12:00:00'), false, 'Sunday');
  t.equal(isScheduled(undefined, BERLIN, utc('2026-11-22T12:00:00')), true, 'no schedule is always');
});

t.test('over midnight it belongs to the day on which it begins', async (t) => {
  const friday: WeeklyHours[] = [{ days: ['fri'], from: '22:00', to: '06:00' }];
  t.equal(on(friday, '2026-11-20T21:00:00'), true, 'Friday 22:00');
  t.equal(on(friday, '2026-11-21T04:59:00'), true, 'Saturday 05:59');
  t.equal(on(friday, '2026-11-21T05:00:00'), false, 'Saturday 06:00');
  t.equal(on(friday, '2026-11-20T04:00:00'), false, 'Friday 05:00');
  const allDay: WeeklyHours[] = [{ days: ['sat'], from: '00:00', to: '24:00' }];
  t.equal(on(allDay, '2026-11-21T22:59:00'), true);
  t.equal(on(allDay, '2026-11-21T23:00:00'), false);
});

t.test('an hour that comes twice counts twice, a skipped hour never counts', async (t) => {
  const early: WeeklyHours[] = [{ days: ['sun'], from: '02:00', to: '03:00' }];
  t.equal(on(early, '2026-10-25T00:30:00'), true, 'the first 02:30');
  t.equal(on(early, '2026-10-25T01:30:00'), true, 'the second 02:30');
  t.equal(on(early, '2026-10-25T02:00:00'), false);
  const night = Array.from({ length: 240 }, (_, minute) => utc('2026-03-29T00:00:00') + minute * 60_000);
  t.notOk(
    night.some((at) => isScheduled(early, BERLIN, at)),
    'in the night of the spring there is no 02:30',
  );
});

t.test('windows begin at full local times, and neighbours meet', async (t) => {
  const window = (zone: string, name: Windowed['window'], text: string) => {
    const { from, to, counts } = windowAt(zone, { window: name }, utc(text));
    return [new Date(from).toISOString().slice(5, 16), (to - from) / 60_000, counts];
  };
  t.same(window(BERLIN, '15m', '2026-11-21T06:59:59'), ['11-21T06:45', 15, true]);
  t.same(window('Asia/Kathmandu', '1h', '2026-11-21T06:59:59'), ['11-21T06:15', 60, true], '12:00 there');
  const howe = 'Australia/Lord_Howe';
  t.same(
    window(howe, '1h', '2026-10-03T15:29:59'),
    ['10-03T14:30', 60, true],
    'the last hour before the clocks go forward',
  );
  t.same(window(howe, '1h', '2026-10-03T15:30:00'), ['10-03T15:30', 30, true], 'half an hour, from 02:30 to 03:00');
  t.same(
    window(howe, '1h', '2026-10-03T16:30:00'),
    ['10-03T16:00', 60, true],
    'full local hours after the change, too',
  );
  t.same(window(howe, '1h', '2026-10-04T02:30:00'), ['10-04T02:00', 60, true], 'and all day long');
  t.same(window(howe, '1h', '2026-04-04T15:10:00'), ['04-04T15:00', 30, true], 'the half hour that comes twice');
  t.same(window(howe, '1h', '2026-04-04T15:30:00'), ['04-04T15:30', 60, true]);
  t.same(window(BERLIN, '8h', '2026-03-29T00:00:00'), ['03-28T23:00', 420, true], 'the night of the spring is short');
  t.same(window(BERLIN, 'night', '2026-03-29T00:00:00'), ['03-28T22:00', 420, true]);
  t.same(window(BERLIN, 'day', '2026-03-29T10:00:00'), ['03-29T05:00', 720, true]);
  t.equal(window(BERLIN, 'evening', '2026-03-29T10:00:00')[2], false);
  for (const [zone, begin] of [
    [BERLIN, '2026-10-24T00:00:00'],
    ['Australia/Lord_Howe', '2026-10-03T00:00:00'],
    ['Australia/Lord_Howe', '2026-04-04T00:00:00'],
  ] as const)
    for (const name of ['15m', '1h', '8h', '12h', 'night'] as const) {
      let at = utc(begin);
      for (let count = 0; count < 60; count++) {
        const { to } = windowAt(zone, { window: name }, at);
        t.ok(to > at && windowAt(zone, { window: name }, to).from === to, `${zone} ${name}`);
        at = to;
      }
    }
});

t.test('each time of a schedule is a window, also over midnight and where the clocks change', async (t) => {
  const schedule: WeeklyHours[] = [
    { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '06:00', to: '22:00' },
    { days: ['sat'], from: '22:00', to: '06:00' },
  ];
  const window = (text: string) => {
    const { from, to, counts } = windowAt(BERLIN, { window: 'scheduled', schedule }, utc(text));
    return [new Date(from).toISOString().slice(5, 16), (to - from) / 3_600_000, counts];
  };
  t.same(window('2026-11-23T05:00:00'), ['11-23T05:00', 16, true], 'Monday, 06:00 there');
  t.same(window('2026-11-23T20:59:59'), ['11-23T05:00', 16, true]);
  t.same(window('2026-11-23T21:00:00'), ['11-23T21:00', 8, false], 'between two of them');
  t.same(window('2026-10-24T23:30:00'), ['10-24T20:00', 9, true], 'the night in which an hour comes twice');
  t.same(window('2026-10-25T05:00:00'), ['10-25T05:00', 24, false], 'a Sunday without a time');
  const monday = [{ days: ['mon' as const], from: '00:00', to: '24:00' }];
  const gap = windowAt('UTC', { window: 'scheduled', schedule: monday }, utc('2026-11-26T12:00:00'));
  t.same(gap, { from: utc('2026-11-24T00:00:00'), to: utc('2026-11-30T00:00:00'), counts: false });
});

t.test('a rule whose windows are its times needs times that do not overlap', async (t) => {
  const paths = (schedule?: WeeklyHours[]) =>
    windowProblems({ window: 'scheduled', ...(schedule && { schedule }) }).map(({ path }) => path);
  t.same(paths(), ['/schedule']);
  const day = (days: WeeklyHours['days'], from: string, to: string) => ({ days, from, to });
  t.same(paths([day(['mon', 'tue'], '06:00', '22:00'), day(['mon'], '22:00', '06:00')]), []);
  t.same(paths([day(['mon', 'tue'], '06:00', '22:00'), day(['mon'], '22:00', '06:01')]), ['/schedule/1']);
  t.same(paths([day(['mon'], '00:00', '01:00'), day(['sun'], '22:00', '00:30')]), ['/schedule/1'], 'round the week');
});
