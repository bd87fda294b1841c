/** People on the command line: made, listed, changed, removed. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type PersonWords, person } from '../../lib/access/people/commands.ts';
import { isPassword } from '../../lib/access/people/passwords.ts';
import { personFileIn, readPeople } from '../../lib/access/people/person-file.ts';
import { startGateway } from '../../lib/app/gateway.ts';
import { systemClock } from '../../lib/clock.ts';
import { makePeople } from '../support/people.ts';

function commands(t: Test) {
  const dataDir = join(t.testdir(), 'data');
  const said: string[] = [];
  const run = async (words: PersonWords, password = 'nine quiet owls') => {
    const say = (line: string) => void said.push(line);
    await person(words, { dataDir, clock: systemClock, say, note: say, secret: async () => password });
  };
  const read = () => readPeople(personFileIn(dataDir));
  return { dataDir, run, said, read };
}

t.test('a person is made with a password that only its check is kept of, changed and removed', async (t) => {
  const { dataDir, run, said, read } = commands(t);
  await run({ rest: ['add'], name: 'Änne Groß', role: 'operator', units: 'roof' });
  const [made] = read();
  t.match(made, { name: 'Änne Groß', role: 'operator', units: ['roof'] });
  t.notMatch(readFileSync(personFileIn(dataDir), 'utf8'), /owls/);
  t.ok(await isPassword('nine quiet owls', made?.password));
  t.notOk(await isPassword('nine quiet owl', made?.password));
  t.notOk(await isPassword('nine quiet owls', null), 'nobody has a password that fits');
  await run({ rest: ['role', 'ÄNNE groß'], role: 'viewer' });
  const [lowered] = read();
  t.match(lowered, { role: 'viewer', units: ['roof'] }, 'the units stay');
  t.not(lowered?.stamp, made?.stamp, 'sessions from before end');
  await run({ rest: ['role', 'Änne Groß'], role: 'viewer', units: '*' });
  t.equal(read()[0]?.units, null);
  await run({ rest: ['password', 'Änne Groß'] }, 'ten quiet owls');
  t.ok(await isPassword('ten quiet owls', read()[0]?.password));
  await run({ rest: ['list'] });
  t.match(said.at(-1), /Änne Groß +viewer +all +yes/);
  await run({ rest: ['remove', 'Änne Groß'] });
  t.strictSame(read(), []);
});

t.test('what is wrong is said, and changes nothing', async (t) => {
  const { run, read } = commands(t);
  const good = { rest: ['add'], name: 'Anna', role: 'viewer' };
  await t.rejects(run(good, 'too short'), /12 to 256 characters/);
  await t.rejects(run(good, 'x'.repeat(257)), /12 to 256/);
  await t.rejects(run({ ...good, name: 'anna von berg' }, 'Anna von Berg'), /the password is the name/);
  await t.rejects(run({ ...good, role: 'god' }), /--role: one of/);
  await t.rejects(run({ ...good, name: 'A\u202eB' }), /--name/);
  await t.rejects(run({ ...good, units: 'a/b' }), /no unit_id/);
  await t.rejects(run({ rest: ['drop'] }), /one of add, list, role, password, remove/);
  await t.rejects(run({ rest: ['remove'] }), /the NAME of a person is missing/);
  await t.rejects(run({ rest: ['remove', 'Bert'] }), /there is no Bert/);
  t.strictSame(read(), []);
  await run({ ...good, 'no-password': true });
  await t.rejects(run({ ...good, name: 'ANNA' }), /there is a person of this name/);
  await t.rejects(run({ ...good, name: 'Anybody' }), /who need no sign-in/);
  t.equal(read()[0]?.password, null);
});

t.test('there are at most 1,000 people', async (t) => {
  const { dataDir, run } = commands(t);
  const names = Array.from({ length: 1_000 }, (_, index) => ({ name: `p${index}`, role: 'viewer' as const }));
  await makePeople(dataDir, systemClock, names);
  await t.rejects(run({ rest: ['add'], name: 'one more', role: 'viewer' }), /1000 people, which is the limit/);
});

t.test('a lost file of people does not open the gateway', async (t) => {
  const { dataDir } = commands(t);
  await makePeople(dataDir, systemClock, [{ name: 'Anna', role: 'admin' }]);
  rmSync(personFileIn(dataDir));
  await t.rejects(startGateway({ port: 0, data_dir: dataDir }), /but people were made here before/);
});
