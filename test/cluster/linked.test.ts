/** What an instance takes from the link of the gateway: that it may be given units, and for how long after its end. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { InstanceSessions } from '../../lib/app/instance-sessions.ts';
import { ofInstances, PassedOn, PROOF_HEADER } from '../../lib/cluster/passed-on.ts';
import { createLog } from '../../lib/log.ts';
import { LINK_VERSION } from '../../lib/remote/messages.ts';
import { SHARED_SITE } from '../../lib/remote/shared-site.ts';
import { settingsFrom } from '../../lib/settings/index.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { aboutMember } from './support/memory-store.ts';

const rowOf = (id: string) => ({
  ...{ id, epoch: 1, beat: 1, open: true, leaving: false, linked: true, voters: [], sites: ['', SHARED_SITE] },
  ...aboutMember(id),
});

/** An instance that waits, and what its cluster says. */
async function waiting(t: Test) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const settings = settingsFrom({ data_dir: t.testdir() }, { env: {}, home: '/' });
  const lines: string[] = [];
  let over = () => {};
  const log = createLog('info', {
    write: (line: string) => {
      lines.push(line);
      if (line.includes('the link to the gateway is over')) over();
    },
  });
  const passedOn = new PassedOn(Buffer.alloc(32, 1));
  const said = { me: rowOf('me'), gateway: rowOf('gateway'), isQuiet: false, hurries: 0 };
  const loop = {
    get view() {
      return { members: [said.me, said.gateway], owners: [] };
    },
    ...{ isLeased: true, unwanted: new Set<string>(), holds: () => false, declare: () => {} },
    isQuiet: (id: string) => said.isQuiet && id === said.gateway.id,
    // The next beat asks it.
    hurry: () => {
      said.hurries += 1;
      isLinked();
    },
  };
  const nothing = () => {};
  const sessions = new InstanceSessions({
    ...{ settings, clock, log, passedOn, mute: nothing, unreached: nothing },
    ...{ me: () => said.me, loop: () => loop, owner: () => said.gateway },
  });
  const http = createServer();
  http.on('upgrade', (request, socket, head) => sessions.join.join(request, socket as Socket, head));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.teardown(async () => {
    http.close();
    await clock.until(sessions.close());
  });
  const bound = http.address();
  /** A link of the gateway that carries messages. */
  const link = async () => {
    const url = `/_sessions?gateway=${said.gateway.id}`;
    const headers = { [PROOF_HEADER]: new PassedOn(Buffer.alloc(32, 1)).prove(ofInstances('GET', url), said.me) };
    const port = typeof bound === 'object' ? bound?.port : 0;
    const socket = new WebSocket(`ws://127.0.0.1:${port}${url}`, { headers });
    t.teardown(() => socket.terminate());
    await once(socket, 'open');
    const say = (message: object) => socket.send(JSON.stringify(message));
    const answer = once(socket, 'message');
    say({ kind: 'hello', version: LINK_VERSION, at: clock.elapsed(), now: clock.now() });
    say({ kind: 'units', all: true, units: [], gone: [] });
    say({ kind: 'ping', id: 1 });
    await answer;
    return async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      over = resolve;
      socket.close();
      await promise;
    };
  };
  const isLinked = (): boolean | undefined => sessions.membership.isLinked?.();
  /** After so many seconds, asked each second. */
  const after = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1_000);
      isLinked();
    }
    return isLinked();
  };
  return { sessions, said, lines, link, isLinked, after };
}

t.test('an instance that is linked may be given units at once, and says so before its next beat', async (t) => {
  const { said, link, isLinked, after } = await waiting(t);
  t.equal(await after(5), false);
  t.equal(said.hurries, 0);
  const end = await link();
  t.equal(isLinked(), true);
  t.equal(said.hurries, 1);
  await end();
  t.equal(said.hurries, 1, 'an end is no news for the others');
});

t.test('half a minute after the end of its link it may not', async (t) => {
  const { link, after } = await waiting(t);
  await (await link())();
  t.equal(await after(29), true);
  t.equal(await after(2), false);
});

t.test('while its gateway is silent it may, and a gateway that has started again has half a minute', async (t) => {
  const { said, link, after } = await waiting(t);
  await (await link())();
  said.isQuiet = true;
  t.equal(await after(100), true);
  said.isQuiet = false;
  t.equal(await after(25), true);
  said.gateway = { ...said.gateway, epoch: 2 };
  t.equal(await after(25), true);
  t.equal(await after(10), false);
});

t.test('an instance with another version of the link is logged once for each of its starts', async (t) => {
  const { sessions, said, lines } = await waiting(t);
  said.gateway = { ...said.gateway, sites: ['', 'shared 1'] };
  const told = async () => {
    await sessions.follow();
    return lines.filter((line) => line.includes('serves no meters')).length;
  };
  t.equal(await told(), 1);
  t.equal(await told(), 1);
  said.me = { ...said.me, epoch: 2 };
  t.equal(await told(), 2);
});
