import t from 'tap';
import { listed, startFtpDouble } from '../support/ftp-double.ts';
import { bytesOf, cards, config, forever, until } from './setup.ts';

t.test('one session at a time for a meter, in the order of the requests, for all units of this meter', async (t) => {
  const double = await startFtpDouble(t, { folders: { '/': '', '/a': '', '/b': '', '/c': '' } });
  const { of } = cards();
  await Promise.all([
    of(config(double)).list('/a', forever),
    of(config(double)).list('/b', forever),
    of(config(double, { unitId: 'twin' })).list('/c', forever),
  ]);
  t.equal(double.sessions.most, 1);
  t.same(
    double.commands.filter((line) => line.startsWith('CWD')),
    ['CWD /a', 'CWD /b', 'CWD /c'],
  );
});

t.test('meters do not wait for each other', async (t) => {
  const hung = await startFtpDouble(t, { answers: { USER: () => {} } });
  const fine = await startFtpDouble(t);
  const { of, clock } = cards();
  const stuck = of(config(hung)).list('/', forever);
  const failed = t.rejects(stuck, { code: 'DEVICE_TIMEOUT' });
  t.same(await of(config(fine)).list('/', forever), []);
  await clock.until(failed);
});

t.test('the turn goes on when a session fails, and a download holds it until its stream is over', async (t) => {
  const double = await startFtpDouble(t, {
    folders: { '/': listed('f', 300_000) },
    files: { '/f': Buffer.alloc(300_000) },
  });
  const { of } = cards();
  const card = of(config(double));
  await t.rejects(card.list('/nowhere', forever));
  const download = await card.download('/f', forever);
  let listing = 'waits';
  const next = card.list('/', forever).then(() => {
    listing = 'done';
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(listing, 'waits');
  await bytesOf(download.stream);
  await next;
  t.equal(double.sessions.most, 1);
});

t.test(
  'waiting for the turn has a limit, a client that leaves gives its place up, and the line is bounded',
  async (t) => {
    const double = await startFtpDouble(t, {
      folders: { '/': listed('f', 300_000) },
      files: { '/f': Buffer.alloc(300_000) },
    });
    const { of, clock } = cards({ turnMs: 10_000, readerMs: 1e9 });
    const card = of(config(double));
    const { stream } = await card.download('/f', forever);

    const late = t.rejects(card.list('/', forever), { code: 'QUEUE_TIMEOUT', message: /10 s/ });
    await clock.advance(10_000);
    await late;

    const leaver = new AbortController();
    const left = t.rejects(card.list('/', { signal: leaver.signal }), { message: 'gone' });
    leaver.abort(new Error('gone'));
    await left;

    const waiting = Array.from({ length: 16 }, () => card.list('/', forever));
    await t.rejects(card.list('/', forever), { code: 'DEVICE_BUSY', headers: { 'Retry-After': /^\d+$/ } });
    await bytesOf(stream);
    await Promise.all(waiting);
    t.equal(double.sessions.all, 17, 'those who left were skipped');
  },
);

t.test('the coordinator is asked before each session and told after it, also after a failure', async (t) => {
  const double = await startFtpDouble(t, { folders: { '/': '' } });
  const heard: string[] = [];
  const { of } = cards({
    coordinator: (unitId) => ({
      async before() {
        heard.push(`before ${unitId}, ${double.sessions.all} sessions`);
      },
      async between() {},
      after() {
        heard.push(`after, ${double.sessions.now} open`);
      },
    }),
  });
  await of(config(double)).list('/', forever);
  await t.rejects(of(config(double)).list('/x', forever));
  await until(() => double.sessions.now === 0);
  t.match(heard, ['before roof, 0 sessions', /^after/, 'before roof, 1 sessions', /^after/]);
});

t.test('a coordinator that says no keeps the session from being opened, and the next one may try', async (t) => {
  const double = await startFtpDouble(t);
  let refuse = true;
  let after = 0;
  const { of } = cards({
    coordinator: () => ({
      async before() {
        if (refuse) throw new Error('not now');
      },
      async between() {},
      after() {
        after += 1;
      },
    }),
  });
  await t.rejects(of(config(double)).list('/', forever), { message: 'not now' });
  t.equal(double.sessions.all, 0);
  t.equal(after, 0);
  refuse = false;
  t.same(await of(config(double)).list('/', forever), []);
  t.equal(after, 1);
});
