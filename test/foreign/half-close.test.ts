/**
 * A client that says what it wants and ends its side at once, as `printf 'DOD?\r\n' | nc -N` and `socat -` do: it reads until the
 * meter closes.
 */
import t from 'tap';
import { Bytes } from './clients/bytes.ts';
import { askOnce } from './clients/reconnecting.ts';
import { count, openMeter, PROFILES } from './meters.ts';

/** Everything that comes after these bytes and the end of our side, until the meter closes. */
async function sendAndEnd(port: number, text: string): Promise<string> {
  const bytes = await Bytes.open(port);
  bytes.write(text);
  await bytes.end();
  await bytes.over;
  return bytes.text;
}

for (const name of PROFILES) {
  t.test(`the reply comes to a client that has ended its side, and the next one is served: ${name}`, async (t) => {
    const { clock, meter, profile } = await openMeter(t, name);
    for (let time = 0; time < 10; time++) {
      const heard = await clock.until(sendAndEnd(meter.tcpPort, 'DOD?\r\n'));
      const [result, display, prompt] = heard.replace(/^\$ /, '').replace('DOD?\r\n', '').split('\r\n');
      t.equal(result, 'R+0000');
      t.equal(display?.split(',').length, 64);
      t.equal(prompt?.trim(), profile.prompt_after_reply ? '$' : '', 'the prompt, too');
    }
    t.match(await clock.until(askOnce(meter.tcpPort, 'Type?')), ['R+0000', 'NL-43']);
    t.equal(count(meter, 'refused'), 0);
  });

  t.test(`a client that ends its side in a stream gets the whole frame, and the place is free: ${name}`, async (t) => {
    const { clock, meter } = await openMeter(t, name);
    const heard = await clock.until(sendAndEnd(meter.tcpPort, 'DRD?\r\n'), { stepMs: 5, limitMs: 5_000 });
    t.match(heard, /R\+0000\r\n/);
    t.match(await clock.until(askOnce(meter.tcpPort, 'Type?'), { limitMs: 5_000 }), ['R+0000', 'NL-43']);
  });

  t.test(`a stream and its end in one segment: the end counts: ${name}`, async (t) => {
    const { clock, meter, profile } = await openMeter(t, name);
    const bytes = await Bytes.open(meter.tcpPort);
    await clock.advance(1_000);
    bytes.text = '';
    bytes.write('DRD?\r\n\x1a');
    await clock.advance(5_000);
    const echo = profile.echo_at_first === 'On' ? 'DRD?\r\n' : '';
    const prompt = profile.prompt_after_reply ? (profile.prompt_space ? '$ ' : '$') : '';
    t.equal(bytes.text, `${echo}R+0000\r\n${prompt}`);
    bytes.close();
  });

  t.test(`nothing stands between the result of a stream and its first frame: ${name}`, async (t) => {
    const { clock, meter } = await openMeter(t, name);
    const bytes = await Bytes.open(meter.tcpPort);
    await clock.advance(1_000);
    bytes.write('DRD?\r\n');
    await clock.advance(2_000);
    t.match(bytes.text, /R\+0000\r\n {2}1,.*\r\n {2}2,/);
    bytes.close();
  });
}

t.test('a client that ends its side without a question is let go at once', async (t) => {
  const { meter } = await openMeter(t, 'default');
  t.equal(await sendAndEnd(meter.tcpPort, ''), '');
  t.equal(count(meter, 'disconnect'), 1);
});

t.test('half a command at the end of a client is no command', async (t) => {
  const { meter } = await openMeter(t, 'default');
  t.equal(await sendAndEnd(meter.tcpPort, 'Measure,Start'), '');
  t.equal(meter.read('Measure'), 'Stop');
});

t.test('a reply that is late beyond all measure does not keep the place for a client that has gone', async (t) => {
  const { clock, meter } = await openMeter(t, 'default');
  meter.faults.on('late-reply', { ms: 600_000 }, { times: 1 });
  const gone = await Bytes.open(meter.tcpPort);
  gone.write('DOD?\r\n');
  await gone.end();
  t.match(await clock.until(askOnce(meter.tcpPort, 'Type?'), { limitMs: 5_000 }), ['R+0000', 'NL-43']);
});
