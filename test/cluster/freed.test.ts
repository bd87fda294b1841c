/** How often a meter is tried out of its turn because another instance says that it has freed it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { freesPlaces } from '../../lib/app/instance-free.ts';
import { PassedOn } from '../../lib/cluster/passed-on.ts';
import { createLog } from '../../lib/log.ts';
import { settingsFrom } from '../../lib/settings/index.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { aboutMember } from './support/memory-store.ts';

t.test('where nothing helps it is a few tries in five minutes, and of a meter that answers none', async (t) => {
  let asked = 0;
  let headers = {};
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(204, headers).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const row = { epoch: 1, beat: 1, open: true, leaving: false, linked: true, sites: [''], voters: [] };
  const other = { ...aboutMember('b'), ...row, id: 'b', address: `http://127.0.0.1:${port}` };
  const view = { members: [{ ...aboutMember('a'), ...row, id: 'a' }, other], owners: [] };
  let isQuiet = false;
  const clock = new VirtualClock();
  const { seat, look } = freesPlaces({
    ...{ settings: settingsFrom({}, { env: {}, home: t.testdir() }), clock, log: createLog('silent') },
    ...{ passedOn: new PassedOn(Buffer.alloc(32, 7)), me: () => view.members[0] },
    loop: () => ({ view, isQuiet: () => isQuiet }),
  });
  const meter = { host: '192.0.2.7', port: 2255 };
  let unreached = [meter];
  const tried: object[] = [];
  seat.unreached({ list: () => unreached, tryAgain: (address) => void tried.push(address) });
  /** Each try without an answer is one. */
  const mute = async (times: number) => {
    for (let left = times; left > 0; left -= 1) {
      seat.mute(meter);
      await clock.pass(5_000);
    }
  };

  /** Questions go over a real line: meanwhile time stands still. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await clock.advance(0);
  };

  await mute(12);
  t.equal(asked, 4, 'a question each 15 s');
  t.strictSame(tried, [], 'nothing was left there');
  headers = { 'slm-freed': '1' };
  await mute(48);
  t.strictSame(tried, [meter, meter, meter], 'three in four minutes');
  await clock.pass(300_000);
  await mute(1);
  t.equal(tried.length, 4, 'and again later');

  asked = 0;
  unreached = [];
  look();
  isQuiet = true;
  look();
  isQuiet = false;
  look();
  await clock.pass(1_000);
  t.equal(asked, 0, 'one that is back is asked about no meter that answers');
  isQuiet = true;
  look();
  isQuiet = false;
  unreached = Array.from({ length: 20 }, (_, at) => ({ host: `192.0.2.${at}`, port: 2255 }));
  look();
  look();
  await until(() => asked >= 20 && tried.length >= 24);
  await clock.pass(1_000);
  t.equal(asked, 20, 'and about each other one once');
  t.equal(tried.length, 24);

  isQuiet = true;
  look();
  isQuiet = false;
  asked = 0;
  look();
  unreached = [];
  await until(() => asked >= 8);
  await clock.pass(1_000);
  t.equal(asked, 8, 'one that is reached before its turn is not asked about');
});
