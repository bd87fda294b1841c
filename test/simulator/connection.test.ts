import { createConnection } from 'node:net';
import t from 'tap';
import { type SimulatedMeter, startMeter } from '../../simulator/index.ts';
import { Client, happened, rig, typing } from './rig.ts';

const kinds = (meter: SimulatedMeter) => meter.log.events.map(({ kind }) => kind);

const dial = (port: number) =>
  new Promise<string | null>((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.once('connect', () => {
      socket.destroy();
      resolve(null);
    });
  });

t.test('a second connection hangs: neither refused nor answered, now or later', async (t) => {
  const { client, clock, meter } = await rig(t);
  const first = await client();
  t.match(await first.ask('Clock?'), /^R\+0000/);
  const second = await client();
  second.type('Clock?\r\n');
  await happened(meter, 'held');
  first.close();
  await happened(meter, 'disconnect');
  await clock.advance(60_000);
  const third = await client();
  t.match(await third.ask('Pause?'), /^R\+0000/, 'the place is free again');
  t.equal(second.heard, '');
  t.same(meter.log.commands, ['Clock?', 'Pause?']);
});

t.test('a second connection is reset where the profile says so', async (t) => {
  const { client, meter } = await rig(t, { second_connection: 'refuse' });
  await (await client()).ask('Clock?');
  // A quick reset may come before the client knows that it was connected.
  const ended = client().then(
    (second) => second.ended,
    (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET' && 'reset',
  );
  t.equal(await ended, 'reset');
  t.equal(kinds(meter).includes('refused'), true);
});

t.test(
  'when a connection begins before the place is free, it is served then, or never, as the profile says',
  async (t) => {
    for (const [end, early_connection] of [
      ['close', 'served'],
      ['reset', 'served'],
      ['close', 'forgotten'],
    ] as const) {
      const { client, clock, meter } = await rig(t, { slot_free_delay_ms: 4_500, early_connection });
      const first = await client();
      await first.ask('Clock?');
      first[end]();
      await happened(meter, 'disconnect');
      const early = await client();
      early.type('Clock?\r\n');
      await happened(meter, 'held');
      await clock.advance(4_499);
      t.equal(early.heard, '');
      await clock.advance(1);
      const served = early_connection === 'served' ? early.take('$') : (await client()).ask('Clock?');
      t.match(await served, /^R\+0000/, `${end}, ${early_connection}`);
      t.equal(early.heard, '');
    }
  },
);

t.test('a held connection is served when its turn comes, where the profile says so', async (t) => {
  const { client, meter } = await rig(t, { held_connection: 'served' });
  const first = await client();
  await first.ask('Clock?');
  const second = await client();
  second.type('Pause?\r\n');
  await happened(meter, 'held');
  first.close();
  t.equal(await second.take('$'), 'R+0000\r\nOff\r\n$');
});

t.test('a prompt on connect comes before the first reply', async (t) => {
  const { typist } = await typing(t, { prompt_on_connect: true, prompt_space: true });
  t.equal(await typist.take('$ '), '$ ');
  typist.type('Pause?\r\n');
  t.equal(await typist.take(/\$ $/), 'R+0000\r\nOff\r\n$ ');
});

t.test('a meter without prompts ends its reply with the line', async (t) => {
  const { typist } = await typing(t, { prompt_after_reply: false });
  typist.type('Pause?\r\n');
  t.equal(await typist.take('Off\r\n'), 'R+0000\r\nOff\r\n');
  typist.type('Nonsense\r\n');
  t.equal(await typist.take('\r\n'), 'R+0001\r\n', 'and no prompt came in between');
});

t.test('with Echo on, what was typed comes back first', async (t) => {
  const { typist } = await typing(t);
  t.equal(await typist.ask('Echo,On'), 'R+0000\r\n$');
  t.equal(await typist.ask('pause?'), 'pause?\r\nR+0000\r\nOff\r\n$');
  t.equal(await typist.ask('Echo,Off'), 'Echo,Off\r\nR+0000\r\n$');
  t.equal(await typist.ask('Pause?'), 'R+0000\r\nOff\r\n$');
});

t.test('the meter thinks before it answers, longer for a stop and a store', async (t) => {
  const { client, clock, meter } = await rig(t, {
    think_query_ms: [10, 10],
    think_start_ms: [30, 30],
    think_stop_ms: [90, 90],
    think_store_ms: [300, 300],
    prompt_delay_ms: 40,
  });
  const typist = await client();
  const spent = async (line: string) => {
    typist.type(`${line}\r\n`);
    await clock.until(typist.take('$'), { stepMs: 1 });
    const [command, reply] = meter.log.events.slice(-5).filter(({ kind }) => kind === 'command' || kind === 'reply');
    return Math.round((reply?.at ?? 0) - (command?.at ?? 0));
  };
  t.equal(await spent('Clock?'), 50);
  t.equal(await spent('Measure,Start'), 70);
  t.equal(await spent('Measure,Stop'), 130);
  t.equal(await spent('Manual Store,Start'), 340);
  t.equal(await spent('Measure,Stop'), 50, 'a refusal is quick');
});

t.test('input while a command is being executed is refused, swallowed or queued', async (t) => {
  for (const [rule, heard, end] of [
    ['refused', 'R+0000\r\nOff\r\n$R+0004\r\n$', /4\r\n\$/],
    ['swallowed', 'R+0000\r\nOff\r\n$', /Off\r\n\$/],
    ['queued', 'R+0000\r\nOff\r\n$R+0000\r\nStop\r\n$', /Stop\r\n\$/],
  ] as const) {
    const { clock, typist } = await typing(t, { think_query_ms: [10, 10], busy_input: rule });
    typist.type('Pause?\r\nMeasure?\r\n');
    t.equal(await clock.until(typist.take(end)), heard, rule);
  }
});

t.test('an empty line brings a new prompt, nothing, or a refusal', async (t) => {
  for (const [rule, heard] of [
    ['prompt', '$'],
    ['R+0001', 'R+0001\r\n$'],
    ['ignored', ''],
  ] as const) {
    const { typist } = await typing(t, { empty_line: rule });
    typist.type('\r\nPause?\r\n');
    t.equal(await typist.take('Off\r\n$'), `${heard}R+0000\r\nOff\r\n$`, rule);
  }
});

t.test('SUB outside a stream is ignored or brings a prompt', async (t) => {
  for (const [rule, heard] of [
    ['ignored', ''],
    ['prompt', '$'],
  ] as const) {
    const { typist } = await typing(t, { sub_outside_stream: rule });
    typist.type('\x1aPause?\r\n');
    t.equal(await typist.take('Off\r\n$'), `${heard}R+0000\r\nOff\r\n$`, rule);
  }
});

t.test('commands that cut their own branch answer first, then the connection is lost', async (t) => {
  for (const [command, afterwards] of [
    ['TCP,Off', 'refused'],
    ['Web,On', 'refused'],
    ['Ethernet,Off', 'silent'],
    ['USB Class,CDC', 'silent'],
    ['Ethernet IP,192.168.9.9', 'silent'],
    ['Ethernet Subnet,255.255.0.0', 'served'],
  ] as const) {
    const { clock, meter, typist } = await typing(t);
    t.equal(await typist.ask('TCP,On'), 'R+0000\r\n$', 'what changes nothing cuts nothing');
    typist.type(`${command}\r\n`);
    await typist.ended;
    t.equal(typist.heard, 'R+0000\r\n$', command);
    await clock.advance(1);
    if (afterwards === 'refused') {
      t.equal(await dial(meter.tcpPort), 'ECONNREFUSED');
      meter.set('TCP', 'On');
      meter.set('Web', 'Off');
      await clock.advance(1);
      t.equal(await dial(meter.tcpPort), null, 'until somebody at the keys switches it on again');
      continue;
    }
    const again = await Client.open(meter.tcpPort);
    t.teardown(() => again.close());
    if (afterwards === 'served') t.equal(await again.ask('Pause?'), 'R+0000\r\nOff\r\n$');
    else await happened(meter, 'held');
  }
});

t.test('a client that reads nothing costs no more than its limit', async (t) => {
  const { clock, meter } = await rig(t, {}, { soundStepMs: 100 });
  const deaf = createConnection({ port: meter.tcpPort, host: '127.0.0.1' });
  t.teardown(() => deaf.destroy());
  deaf.pause();
  deaf.write('DRD?\r\n');
  await happened(meter, 'reply');
  await clock.advance(5 * 60_000);
  t.equal(meter.read('Measure'), 'Stop', 'the meter lives');
});

t.test('stop ends connections and timers, and can be asked twice', async (t) => {
  const { clock, meter, typist } = await typing(t);
  await typist.ask('Measure,Start');
  await typist.stream();
  await meter.stop();
  await meter.stop();
  t.equal(await typist.ended, 'reset');
  t.equal(await dial(meter.tcpPort), 'ECONNREFUSED');
  t.equal(clock.pending, 0);
});

t.test('a port that is taken fails the start and leaves nothing behind', async (t) => {
  const { clock, meter } = await rig(t);
  const pending = clock.pending;
  await t.rejects(startMeter({ clock, tcpPort: meter.tcpPort }), { code: 'EADDRINUSE' });
  t.equal(clock.pending, pending);
});

t.test('wrong options are named', async (t) => {
  await t.rejects(startMeter({ serial: '12' }), /eight digits/);
  await t.rejects(startMeter({ profile: 'nobody' }), /no profile "nobody"/);
  await t.rejects(startMeter({ scenario: 'nowhere' }), /nowhere/);
});
