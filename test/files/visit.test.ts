/** Several files in one FTP session, and when that session ends. */
import { Readable } from 'node:stream';
import t from 'tap';
import { listed, startFtpDouble } from '../support/ftp-double.ts';
import { bytesOf, cardOf, cards, config, forever, until } from './setup.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const folder = NAMES.map((name) => listed(name, 3)).join('');
const files = Object.fromEntries(NAMES.map((name) => [`/${name}`, `<${name}>`]));
const whole = { from: 0, to: 3 };
const startCard = (t: Parameters<typeof startFtpDouble>[0], more: Parameters<typeof startFtpDouble>[1] = {}) =>
  startFtpDouble(t, { folders: { '/': folder, '/other': '' }, files, ...more });

t.test('many files take one login, and a rest only where commands went to the meter', async (t) => {
  const double = await startCard(t);
  const heard: string[] = [];
  const coordinator = {
    before: async () => void heard.push('before'),
    between: async () => void heard.push('between'),
    after: () => void heard.push('after'),
  };
  const { of } = cards({ coordinator: () => coordinator });
  const visit = of(config(double)).visit(forever);
  const names = (await visit.list('/')).map(({ name }) => name);
  t.same(names, NAMES);
  for (const name of names) t.equal(String(await bytesOf((await visit.open(`/${name}`, whole)).stream)), `<${name}>`);
  await visit.close();
  await visit.close();
  t.equal(double.sessions.all, 1);
  t.same(heard, ['before', ...Array(4).fill('between'), 'after']);
  t.equal(double.commands.filter((line) => line.startsWith('USER')).length, 1);
  await until(() => double.sessions.now === 0);
});

t.test('a file that is not there harms the session as little as the next file', async (t) => {
  const double = await startCard(t);
  const visit = cardOf(double).visit(forever);
  await t.rejects(visit.open('/nothing', whole), { code: 'FILE_NOT_FOUND', message: /\/nothing/ });
  t.equal(String(await bytesOf((await visit.open('/a', whole)).stream)), '<a>');
  t.equal(double.sessions.all, 1);
  await visit.close();
});

t.test('after a fault, and after a reader that left, the next file has a session of its own', async (t) => {
  let cut = true;
  const double = await startCard(t, {
    answers: {
      async RETR(session, path) {
        if (cut) session.control.destroy();
        else await session.send(files[path] ?? '');
        cut = false;
      },
    },
  });
  const visit = cardOf(double).visit(forever);
  await t.rejects(visit.open('/a', whole));
  t.equal(String(await bytesOf((await visit.open('/b', whole)).stream)), '<b>');
  const left = await visit.open('/c', { from: 0, to: 2_000_000 }).catch(() => undefined);
  left?.stream.destroy();
  t.equal(String(await bytesOf((await visit.open('/d', whole)).stream)), '<d>');
  await visit.close();
});

t.test('somebody else gets the card between two files, and the visit goes on after that', async (t) => {
  const double = await startCard(t);
  const { of } = cards();
  const card = of(config(double));
  const visit = card.visit(forever);
  const first = await visit.open('/a', whole);
  const other = card.list('/other', forever);
  await bytesOf(first.stream);
  t.equal(String(await bytesOf((await visit.open('/b', whole)).stream)), '<b>');
  t.same(await other, []);
  const order = double.commands.filter((line) => /^(RETR|CWD|USER)/.test(line));
  t.same(order, ['USER USER', 'RETR /a', 'USER USER', 'CWD /other', 'USER USER', 'RETR /b']);
  await visit.close();
});

t.test('a visit that gives way is broken off within a file, and at once while it does nothing', async (t) => {
  const endless = () => new Readable({ read() {} });
  const double = await startCard(t, { files: { ...files, '/long': endless } });
  const { of } = cards();
  const card = of(config(double));
  const visit = card.visit({ ...forever, givesWay: true });
  const long = visit.open('/long', { from: 0, to: 1_000 });
  await until(() => double.commands.includes('RETR /long'));
  const broken = t.rejects(long, { code: 'DEVICE_BUSY' });
  t.same(await card.list('/other', forever), []);
  await broken;
  await bytesOf((await visit.open('/a', whole)).stream);
  t.same(await card.list('/other', forever), [], 'a session without work does not keep the card');
  await visit.close();
});

t.test('a session without work ends after a second, and with the signal', async (t) => {
  const double = await startCard(t);
  const { of, clock } = cards();
  const stop = new AbortController();
  const visit = of(config(double)).visit({ signal: stop.signal });
  await bytesOf((await visit.open('/a', whole)).stream);
  await until(() => clock.pending > 0);
  t.equal(double.sessions.now, 1);
  await clock.advance(1_000);
  await until(() => double.sessions.now === 0);
  await bytesOf((await visit.open('/b', whole)).stream);
  stop.abort(new Error('the caller left'));
  await until(() => double.sessions.now === 0);
  await t.rejects(visit.open('/c', whole), { message: 'the caller left' });
  t.equal(double.sessions.all, 2);
});
