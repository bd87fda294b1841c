/** The last guards before a meter, and the commands that would cut our own connection. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { createCounters } from '../../lib/domain/fields/counters.ts';
import * as commands from '../../lib/drivers/nl43/commands.ts';
import { CONVERSATION } from '../../lib/drivers/nl43/conversation.ts';
import { setting } from '../../lib/drivers/nl43/encode.ts';
import { COMMANDS } from '../../lib/drivers/nl43/spec/commands.ts';
import { requireOneLine } from '../../lib/files/control.ts';
import { Connection, requirePrintable } from '../../lib/meter/connection.ts';
import { MeterPort } from '../../lib/meter/meter-port.ts';
import { METER_DEFAULTS } from '../../lib/meter/settings.ts';
import type { ByteStream } from '../../lib/transport/contract.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { standIn } from '../support/stand-in.ts';
import { character } from '../support/texts.ts';
import { openWorld } from '../support/world.ts';

const CUTS = COMMANDS.filter((fact) => fact.cutsBranch).map(({ name }) => name);

/** A connection that keeps every byte that leaves. */
function connected() {
  const sent: Uint8Array[] = [];
  const socket = standIn<ByteStream>({
    ended: new Promise(() => {}),
    ending: undefined,
    receive: () => {},
    send: (bytes: Uint8Array) => void sent.push(bytes),
  });
  const connection = new Connection({
    socket,
    driver: CONVERSATION,
    clock: systemClock,
    settings: METER_DEFAULTS,
    early: false,
    gap: new MeterPort(systemClock, 0),
    unit: { counters: createCounters() },
    signal: new AbortController().signal,
    wire: () => undefined,
    onDirty: () => {},
  });
  return { sent, connection };
}

t.test('whatever the layers above did, no text but printable ASCII leaves, and no part of another', async (t) => {
  const text = fc.oneof(fc.string({ unit: character }), fc.string());
  fc.assert(
    fc.property(text, (given) => {
      const { sent, connection } = connected();
      const clean = /^[\x20-\x7e]+$/.test(given);
      try {
        connection.sendCommand(given);
      } catch {
        return !clean && sent.length === 0;
      }
      return clean && Buffer.concat(sent).toString('latin1') === `${given}\r\n`;
    }),
    {
      numRuns: 2_000,
      examples: [['Measure,Start\r\nPower,Off'], ['\u001a'], [''], ['Ｍeasure'], ['a\u0000'], ['a\u0085']],
    },
  );
  for (const bad of ['a\r', 'a\n', 'a\0', 'a\u001a', 'é', '\t', '']) t.throws(() => requirePrintable(bad));
});

t.test('bytes leave for a meter in one place', async (t) => {
  const files = readdirSync(new URL('../../lib/meter', import.meta.url)).filter((name) => name.endsWith('.ts'));
  const senders = files.filter((name) =>
    /socket\.send\(/.test(readFileSync(new URL(`../../lib/meter/${name}`, import.meta.url), 'utf8')),
  );
  t.same(senders, ['connection.ts']);
});

t.test('one FTP command is one line, whatever the layers above did', async (t) => {
  for (const bad of [
    'RETR /a\r\nDELE /b',
    'RETR /a\n',
    'CWD \u0000',
    'LIST \u001a',
    'RETR \u0085',
    'RETR \u2028',
    'RETR \ud800',
  ])
    t.throws(() => requireOneLine(bad), encodeURIComponent(bad.toWellFormed()));
  for (const good of ['RETR /NL-43/ä.rnd', 'PORT 127,0,0,1,1,1', 'QUIT']) t.doesNotThrow(() => requireOneLine(good));
});

t.test('commands that cut the connection they are sent over are refused by the encoder, with any value', async (t) => {
  t.same(CUTS.length > 6, true);
  for (const name of CUTS)
    for (const value of ['On', 'Off', 'CDC', '192.168.0.1'])
      t.throws(() => setting(name, value), { code: 'INVALID' }, name);
});

t.test('no function of the codec makes such a setting, with any of its usual values', async (t) => {
  const values = ['On', 'Off', true, false, 'Main', 'Manual', 'A', 'F', '1s', '1m', 7, '2026/11/21 06:00:00', 's'];
  const made: string[] = [];
  for (const make of Object.values(commands) as ((...args: unknown[]) => { text: string })[])
    for (const first of values)
      for (const second of values) {
        try {
          made.push(make(first, second).text);
        } catch {
          // A value that this command does not take.
        }
      }
  t.ok(made.length > 500);
  t.same(
    made.filter((text) => CUTS.some((name) => text.startsWith(`${name},`) || text === name)),
    [],
  );
});

t.test('no route sends one: every endpoint, well and badly used', async (t) => {
  const world = await openWorld(t);
  for (const { method, path, body, bad } of ENDPOINTS.filter(({ path }) => path !== '/config')) {
    await world.ask(method, `/sim-1${path}`, body ? { json: body } : {});
    for (const wrong of (bad ?? []).slice(0, 2))
      await world.ask(
        method,
        `/sim-1${path}${wrong.query ?? ''}`,
        wrong.body === undefined ? {} : { json: wrong.body },
      );
  }
  const sent = world.meter.log.commands;
  t.ok(sent.length > 30);
  t.same(
    sent.filter((line) => CUTS.some((name) => line.startsWith(`${name},`))),
    [],
  );
});
