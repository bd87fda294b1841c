/** Notes and exclusions by MQTT, with the rights of an API key. */
import { join } from 'node:path';
import t from 'tap';
import { makeKey } from '../support/keys.ts';
import { openWorld } from '../support/world.ts';
import { openBroker } from './support.ts';

t.test(
  'an exclusion is written with the rights of the key; a refused exclusion is published, counted and logged',
  async (t) => {
    const broker = await openBroker(t);
    const mqtt = { url: broker.url, notes: true, commands: true, command_key: 'caretaker' };
    const world = await openWorld(t, { settings: { plugin_settings: { mqtt } } });
    await world.configure('other', world.meter, { tcp_enabled: false });
    const dataDir = join(world.dataDir, 'data');
    const { headers } = await makeKey(dataDir, { name: 'admin', role: 'admin' }, world.clock);
    const { id: keyId } = await makeKey(dataDir, { name: 'caretaker', role: 'operator', units: 'sim-1' }, world.clock);
    await world.until('the broker', () => broker.texts('slm/_gateway/availability').includes('online'));
    await world.pass(3_000);
    const notes = async (unitId: string) => (await world.get(`/${unitId}/notes`, { headers })).body.data as object[];
    const refused = () => broker.last('slm/_gateway/state')?.refused;
    const say = async (unitId: string, note: string | Buffer) => {
      const topic = `slm/${unitId}/result`;
      const said = broker.texts(topic).length;
      await broker.say(`slm/${unitId}/note`, note);
      await world.until('a result', () => broker.texts(topic).length > said);
      return broker.last(topic);
    };

    const hedge = { kind: 'exclusion', reason: 'own_noise', text: 'Wir schneiden die Hecke.' };
    const span = { from: '2025-12-23T10:00:00Z', to: '2025-12-23T11:30:00Z' };
    const told = await say('sim-1', JSON.stringify({ ...hedge, ...span }));
    t.match(told, {
      ok: true,
      command: 'note',
      message: 'The exclusion 1 is written.',
      data: { id: '1', by: 'caretaker' },
    });
    t.match(await notes('sim-1'), [{ ...hedge, from: '2025-12-23T10:00:00.000Z', to: '2025-12-23T11:30:00.000Z' }]);
    const audited = await world.ask('GET', '/_audit?unit=sim-1', { headers });
    t.match(audited.body.records[0], {
      who: 'caretaker',
      key_id: keyId,
      route: '/{unit_id}/notes',
      address: 'mqtt',
      status: 201,
      body: hedge,
    });
    t.match(
      await say('sim-1', '{"kind": "exclusion"}'),
      { ok: true, data: { to: null } },
      'from now until it is ended',
    );
    t.equal((await notes('sim-1')).length, 2);

    const wrong = [
      [JSON.stringify({ ...hedge, ...span }), 'INVALID', /./],
      ['{"kind": "exclusion", "reason": "hedge"}', 'INVALID', /\/reason/],
      ['{"kind": "note", "from": "2025-12-23T11:00:00Z", "to": "2025-12-23T10:00:00Z"}', 'INVALID', /\/to/],
      ['{"kind": "note", "by": "somebody else"}', 'INVALID', /\/by/],
      ['{"kind": "note", "text": "\\u0007"}', 'INVALID', /\/text/],
      ['[]', 'MALFORMED_JSON', /one JSON object/],
      ['null', 'MALFORMED_JSON', /one JSON object/],
      ['exclude', 'MALFORMED_JSON', /one JSON object/],
      ['', 'MALFORMED_JSON', /one JSON object/],
      [`{"kind": "note", "text": "${' '.repeat(20_000)}"}`, 'MALFORMED_JSON', /one JSON object/],
      [Buffer.from('{"kind": "note", "text": "\xff"}', 'latin1'), 'MALFORMED_JSON', /one JSON object/],
    ] as const;
    for (const [note, code, where] of wrong) {
      const answer = await say('sim-1', note);
      t.match(answer, { ok: false, command: 'note', code }, String(note).slice(0, 80));
      t.match(JSON.stringify(answer), where);
    }
    t.match(await say('other', JSON.stringify(hedge)), {
      ok: false,
      code: 'FORBIDDEN',
      detail: /not valid for this unit/,
    });
    await world.until('all are counted', () => refused() === wrong.length + 1);
    t.ok(world.log.some((line) => line.includes('a note was not written') && line.includes('"why"')));

    await broker.say('slm/nobody/note', JSON.stringify(hedge));
    // It is written once, when it comes, and not again when the broker has kept it.
    await broker.say('slm/sim-1/note', '{"kind": "note", "text": "kept by the broker"}', { retain: true });
    await world.until('it is written', () => broker.last('slm/sim-1/result').data?.text === 'kept by the broker');
    broker.cut();
    await world.until('it is refused when it comes again', () => refused() === wrong.length + 3);
    t.equal((await notes('sim-1')).length, 3);
    t.strictSame(await notes('other'), []);
    await broker.say('slm/sim-1/command', 'dance');
    await world.until('a command is still none', () => refused() === wrong.length + 4);
  },
);

t.test('without the setting nobody reads the topic of notes', async (t) => {
  const broker = await openBroker(t);
  const mqtt = { url: broker.url, commands: true, command_key: 'caretaker' };
  const world = await openWorld(t, { settings: { plugin_settings: { mqtt } } });
  await world.until('the broker', () => broker.texts('slm/_gateway/availability').includes('online'));
  await world.pass(3_000);
  await broker.say('slm/sim-1/note', '{"kind": "exclusion"}');
  await broker.say('slm/sim-1/command', 'dance');
  await world.until('the word that comes after it', () => broker.last('slm/_gateway/state').refused === 1);
  t.strictSame((await world.get('/sim-1/notes')).body.data, []);
});
