/** The table of inputs that mean harm: the status each gets, no byte on the meter's line, the process alive and prompt. */
import t from 'tap';
import { openWorld } from '../support/world.ts';
import { FRAMING } from './support/framing.ts';
import { sendRaw } from './support/raw.ts';
import { type Attack, INPUTS } from './support/table.ts';

const tables: Readonly<Record<string, readonly Attack[]>> = {
  'paths, bodies and queries': INPUTS,
  'headers, framing and methods': FRAMING,
};

for (const [what, table] of Object.entries(tables)) {
  t.test(`${what}: each of ${table.length} inputs gets its status and does no harm`, async (t) => {
    const world = await openWorld(t);
    for (const { name, bytes, status } of table) {
      const answer = sendRaw(world.gateway.port, bytes);
      // A refusal comes at once, so time need not pass. An accepted request may ask the meter.
      const { statuses, text } = await (status.includes(200) ? world.passing(answer) : answer);
      const [first = 0] = statuses;
      t.ok(status.includes(first), `${name}: ${first} is one of ${status.join()}`);
      t.ok(statuses.length <= 1, `${name} is one request, not ${statuses.length}`);
      t.notMatch(text, /at .*\.ts:|node_modules|\/data\/|SqliteError/, `${name} tells nothing of the inside`);
    }
    t.same(world.meter.log.commands, [], 'no byte reached the meter');
    t.equal(world.meter.log.connects, 0);
    t.notOk('polluted' in {}, 'no prototype was changed');
    t.equal((await fetch(new URL('/health', world.base))).status, 200, 'the process lives');
    t.equal((await world.get('/sim-1/clock')).status, 200, 'and still does its work');
    t.notOk(
      world.log.some((line) => JSON.parse(line).level === 'error'),
      'nothing was a fault of the gateway',
    );
  });
}

t.test('there are at least 120 inputs', async (t) => {
  t.ok(INPUTS.length + FRAMING.length >= 120, String(INPUTS.length + FRAMING.length));
});
