/** A client that sends `Measure,Start` and `DOD?` at once and reads the third line of what comes. */
import t from 'tap';
import { Bytes } from './clients/bytes.ts';
import { openMeter, PROFILES } from './meters.ts';

for (const name of PROFILES) {
  t.test(`two commands at once: ${name}`, async (t) => {
    const { clock, meter, profile } = await openMeter(t, name);
    if (profile.echo_at_first === 'On') meter.set('Echo', 'Off');
    const bytes = await Bytes.open(meter.tcpPort);
    bytes.write('Measure,Start\r\nDOD?\r\n');
    await clock.advance(5_000);
    const lines = bytes.text.replace(/\$ ?/g, '').split('\r\n').filter(Boolean);
    t.equal(lines[0], 'R+0000');
    t.equal(meter.read('Measure'), 'Start', 'the first is done in any case');
    // Without a wait of its own the meter is ready before it reads the second.
    const busy = profile.think_start_ms[1] > 0;
    const rule = busy ? profile.busy_input : 'queued';
    if (rule === 'queued') t.equal(lines[2]?.split(',').length, 64, 'the third line is the display');
    else t.same(lines, rule === 'refused' ? ['R+0000', 'R+0004'] : ['R+0000']);
    t.equal(await clock.until(ask(bytes, 'Pause?')), 'Off', 'and the connection is in order');
    bytes.close();
  });
}

async function ask(bytes: Bytes, command: string): Promise<string> {
  bytes.text = '';
  bytes.write(`${command}\r\n`);
  const reply = await bytes.until(/R\+0000\r\n[^\r\n]+\r\n/);
  return reply.split('\r\n')[1] ?? '';
}
