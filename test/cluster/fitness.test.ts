/** An instance that waits while a newer release changes the tables: it could not take over any more, and says so. */
import t from 'tap';
import { InstanceFitness } from '../../lib/app/instance-fitness.ts';
import { createLog } from '../../lib/log.ts';
import { settingsFrom } from '../../lib/settings/index.ts';
import { StoreError } from '../../lib/store/problem.ts';
import { VirtualClock } from '../../simulator/index.ts';

t.test('tables of a newer release are seen within a minute, and a database that is away changes nothing', async (t) => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  const settings = settingsFrom({ data_dir: t.testdir() }, { env: {}, home: '/' });
  let answer: () => Promise<void> = async () => {};
  let looks = 0;
  const fits = () => {
    looks += 1;
    return answer();
  };
  const fitness = new InstanceFitness({ settings, clock, log, fits });
  const beats = async (count: number) => {
    for (let beat = 0; beat < count; beat += 1) {
      await clock.advance(5_000);
      await fitness.look();
    }
    return fitness.lacks.isOlder;
  };
  t.equal(await beats(12), false);
  t.equal(looks, 1, 'once a minute');
  answer = () => Promise.reject(new StoreError('newer', 'of a newer release'));
  t.equal(await beats(12), true);
  answer = () => Promise.reject(new StoreError('unreachable', 'nobody listens'));
  t.equal(await beats(12), true);
  t.equal(lines.length, 1, 'the log says it once');
  answer = async () => {};
  t.equal(await beats(12), false, 'a backup was restored');
  answer = () => Promise.reject(new StoreError('unreachable', 'nobody listens'));
  t.equal(await beats(12), false);
});
