/** People on the command line: made, listed, changed, removed. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type PersonWords, person } from '../../lib/access/people/commands.ts';
import { isPassword } from '../../lib/access/people/sign-in.ts';
import { startGateway } from '../../lib/app/gateway.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { withKeys } from '../support/keys.ts';
import { makePeople } from '../support/people.ts';

function commands(t: Test) {
  const dataDir = join(t.testdir(), 'data');
  const said: string[] = [];
  const run = async (words: PersonWords, password = 'nine quiet owls') => {
    const say = (line: string) => void said.push(line);
    const io = { clock: systemClock, say, note: say, secret: async () => password };
    await withKeys(dataDir, (admin) => person(words, { ...io, admin }));
  };
  const read = () => withKeys(dataDir, (admin) => admin.people());
  return { dataDir, run, said, read };
}

t.test('a person is made, changed and removed, and only a hash of the password is kept', async (t) => {
  const { dataDir, run, said, read } = commands(t);
  await run({ rest: ['add'], name: 'Änne Groß', role: 'operator', units: 'roof' });
  const [made] = await read();
  t.match(made, { name: 'Änne Groß', role: 'operator', units: ['roof'] });
  t.notOk(readFileSync(join(dataDir, 'gateway.db')).includes('owls'));
  t.ok(await isPassword('nine quiet owls', made?.password));
  t.notOk(await isPassword('nine quiet owl', made?.password));
  t.notOk(await isPassword('nine quiet owls', null), 'nobody has a password that fits');
  await run({ rest: ['role', 'ÄNNE groß'], role: 'viewer' });
  const [lowered] = await read();
  t.match(lowered, { role: 'viewer', units: ['roof'] }, 'the units stay');
  t.not(lowered?.stamp, made?.stamp, 'sessions from before end');
  await run({ rest: ['role', 'Änne Groß'], role: 'viewer', units: '*' });
  t.equal((await read())[0]?.units, null);
  await run({ rest: ['password', 'Änne Groß'] }, 'ten quiet owls');
  t.ok(await isPassword('ten quiet owls', (await read())[0]?.password));
  await run({ rest: ['list'] });
  t.match(said.at(-1), /Änne Groß +viewer +all +yes/);
  await run({ rest: ['remove', 'Änne Groß'] });
  t.strictSame(await read(), []);
});

t.test('wrong input has an error, and changes nothing', async (t) => {
  const { run, read } = commands(t);
  const good = { rest: ['add'], name: 'Anna', role: 'viewer' };
  await t.rejects(run(good, 'too short'), /12 to 256 characters/);
  await t.rejects(run(good, 'x'.repeat(257)), /12 to 256/);
  await t.rejects(run({ ...good, name: 'anna von berg' }, 'Anna von Berg'), /the password must not be the name/);
  await t.rejects(run({ ...good, role: 'god' }), /--role: one of/);
  await t.rejects(run({ ...good, name: 'A\u202eB' }), /--name/);
  await t.rejects(run({ ...good, units: 'a/b' }), /no unit_id/);
  await t.rejects(run({ rest: ['drop'] }), /one of add, list, role, password, remove/);
  await t.rejects(run({ rest: ['remove'] }), /the NAME of a person is missing/);
  await t.rejects(run({ rest: ['remove', 'Bert'] }), /there is no Bert/);
  t.strictSame(await read(), []);
  await run({ ...good, 'no-password': true });
  await t.rejects(run({ ...good, name: 'ANNA' }), /there is a person of this name/);
  await t.rejects(run({ ...good, name: 'Anybody' }), /that need no sign-in/);
  t.equal((await read())[0]?.password, null);
});

t.test('there are at most 1,000 people', async (t) => {
  const { dataDir, run } = commands(t);
  const people = Array.from({ length: 1_000 }, (_, n) => ({
    id: n.toString(16).padStart(8, '0'),
    name: `p${n}`,
    role: 'viewer',
    units: null,
    password: null,
    stamp: '0'.repeat(16),
    created_at: '2026-01-01T00:00:00Z',
  }));
  // As a release before kept them.
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'people.json'), JSON.stringify({ version: 1, people }), { mode: 0o600 });
  await t.rejects(run({ rest: ['add'], name: 'one more', role: 'viewer' }), /1000 people, which is the limit/);
});

t.test('the gateway stays closed without its database of people, and without any person', async (t) => {
  const { dataDir, run } = commands(t);
  const settings = { port: 0, data_dir: dataDir, key_file: join(t.testdir({}), 'key') };
  await makePeople(dataDir, systemClock, [{ name: 'Anna', role: 'admin' }]);
  await run({ rest: ['remove', 'Anna'] });
  const gateway = await startGateway(settings, { log: createLog('silent') });
  t.equal((await fetch(`${gateway.baseUrl}/x/status`)).status, 401);
  await gateway.stop();
  rmSync(dataDir, { recursive: true });
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'people-made.txt'), '');
  await t.rejects(startGateway(settings, { log: createLog('silent') }), /API keys or people were made here before/);
});
