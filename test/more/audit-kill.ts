/**
 * A gateway is killed (SIGKILL) while sixteen people change things at once, again and again: each change that was answered is in the
 * audit log of the next start, and the chain is whole. AUDIT_KILLS says how often, 8 times unless it is set.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { filesIn, logLines, verify } from '../../lib/audit/chain.ts';
import { seeded } from '../../simulator/random.ts';
import { gatewayProcess } from '../support/gateway-process.ts';

const KILLS = Number(process.env.AUDIT_KILLS ?? 8);
const AT_ONCE = 16;
type Gateway = Awaited<ReturnType<typeof gatewayProcess>>;
const random = seeded(20_261_122);

/** Changes one thing after the other until the gateway is gone; notes the requests that were answered. */
async function change({ ask }: Gateway, person: number, answered: (request: string) => void): Promise<void> {
  for (let count = 0; ; count += 1) {
    const config = { host: '127.0.0.1', tcp_enabled: false, name: `change ${count}` };
    const answer = await ask('PUT', `/roof-${person}/config`, config).catch(() => undefined);
    if (answer === undefined) return;
    if (answer.status !== 200) throw new Error(`a change was answered with ${answer.status}`);
    answered(String(answer.headers.get('x-request-id')));
  }
}

t.test(`after ${KILLS} kills no change that was answered is missing`, { timeout: 600_000 }, async (t) => {
  const folder = t.testdir();
  const audit = join(folder, 'data', 'audit');
  const answered = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const gateway = await gatewayProcess(t, folder);
    const ended = once(gateway.child, 'exit');
    const limit = answered.size + 20 + Math.floor(random() * 200);
    const note = (request: string) => {
      answered.add(request);
      if (answered.size === limit) gateway.child.kill('SIGKILL');
    };
    const people = Array.from({ length: AT_ONCE }, (_, person) => change(gateway, person, note));
    await ended;
    await Promise.all(people);
  }
  const { child } = await gatewayProcess(t, folder);
  child.kill('SIGTERM');
  await once(child, 'exit');
  t.ok(answered.size > KILLS * AT_ONCE, `${answered.size} changes were answered`);
  const kept = new Set<string>();
  for (const name of await filesIn(audit))
    for await (const line of logLines(audit, name)) kept.add(String(JSON.parse(line).request));
  t.equal([...answered].filter((request) => !kept.has(request)).length, 0);
  t.match(await verify(audit), { broken: undefined });
});
