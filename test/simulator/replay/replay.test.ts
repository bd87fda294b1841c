import { readdirSync, readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { VirtualClock } from '../../../simulator/index.ts';
import { readScript, startReplay } from '../../../simulator/replay/player.ts';
import { parseTranscript } from '../../../simulator/replay/transcript.ts';
import { contradiction, FACTS } from '../../conformance/codec.ts';
import { readExchanges } from '../../conformance/exchanges.ts';
import { eventually } from '../bare.ts';
import { connected } from './rig.ts';

async function playing(t: Test, text: string) {
  const clock = new VirtualClock();
  const unknown: string[] = [];
  const script = readScript(parseTranscript(text));
  const note = (message: Uint8Array) => void unknown.push(Buffer.from(message).toString('latin1'));
  const replay = await startReplay({ script, clock, port: 0, unknown: note });
  t.teardown(() => replay.close());
  return { clock, unknown, open: () => connected(t, replay.port) };
}

const folder = new URL('../../conformance/transcripts/', import.meta.url);
const captured = readdirSync(folder).filter((name) => name.endsWith('.txt'));

t.test('the captured transcripts replay byte for byte, and what comes decodes to what they say', async (t) => {
  const exchanges = readExchanges();
  let decoded = 0;
  for (const file of captured) {
    const { open } = await playing(t, readFileSync(new URL(file, folder), 'utf8'));
    const client = await open();
    for (const exchange of exchanges.filter(({ title }) => title.startsWith(`${file}: `))) {
      const expected = [exchange.result, exchange.data].flatMap((line) => (line === undefined ? [] : `${line}\r\n`));
      client.type(exchange.sent);
      await eventually(() => client.heard.length >= expected.join('').length);
      const heard = await client.take('\r\n');
      t.equal(heard, expected.join(''), exchange.title);
      const [result = '', data] = heard.split('\r\n');
      const replayed = { ...exchange, result, ...(exchange.data !== undefined && { data: data ?? '' }) };
      t.equal(contradiction(replayed, FACTS), undefined, exchange.title);
      decoded += exchange.meaning === undefined ? 0 : 1;
    }
  }
  t.ok(decoded >= 7);
});

const TIMED = `# @0 client connects
# @5
< $
# @1000
> A?<CR><LF>
# @1080
< R+0000<CR><LF>
# @1380
< late<CR><LF>
< $
# @3000
> B<CR><LF>
# @3050 meter ends
# @10000 client connects
# @11000
> A?<CR><LF>
# @11000
< second session<CR><LF>
`;

t.test('answers come when they came', async (t) => {
  const { clock, open } = await playing(t, TIMED);
  const client = await open();
  await clock.until(client.take('$'), { stepMs: 5 });
  client.type('A?\r\n');
  await eventually(() => clock.pending === 1);
  await clock.advance(79);
  t.equal(client.heard, '');
  await clock.advance(1);
  t.equal(await client.take('\n'), 'R+0000\r\n');
  await clock.advance(299);
  t.equal(client.heard, '');
  await clock.advance(1);
  t.equal(await client.take('$'), 'late\r\n$');
  client.type('B\r\n');
  await eventually(() => clock.pending === 1);
  await clock.advance(50);
  await eventually(() => client.ended === 'half');
});

t.test('each connection begins with its own session', async (t) => {
  const { clock, open } = await playing(t, TIMED);
  await open();
  await eventually(() => clock.pending === 1);
  const second = await open();
  second.type('A?\r\n');
  t.equal(await second.take('\n'), 'second session\r\n');
});

t.test('a message may come in any pieces, and several in one', async (t) => {
  const { open } = await playing(t, '> A<CR><LF>\n< a<CR><LF>\n> B<CR><LF>\n< b<CR><LF>\n');
  const client = await open();
  for (const byte of 'A\r\n') client.type(byte);
  t.equal(await client.take('\n'), 'a\r\n');
  client.type('B\r\nA\r\n');
  t.equal(await client.take('a\r\n'), 'b\r\na\r\n');
});

t.test('the same question is answered as at its place in the transcript, and round again', async (t) => {
  const { open } = await playing(t, '> A<LF>\n< 1<LF>\n> B<LF>\n< x<LF>\n> A<LF>\n< 2<LF>\n');
  const client = await open();
  const answers = [];
  for (let round = 0; round < 4; round++) {
    client.type('A\n');
    answers.push(await client.take('\n'));
  }
  t.same(answers, ['1\n', '2\n', '1\n', '2\n']);
});

t.test('a line that is not in the transcript gets no answer and is reported', async (t) => {
  const { open, unknown } = await playing(t, '> A<LF>\n< 1<LF>\n');
  const client = await open();
  client.type('Zzz\r\nA\n');
  t.equal(await client.take('\n'), '1\n');
  t.same(unknown, ['Zzz\r\n']);
});

t.test('SUB ends a stream that is still to come; another line gets everything first', async (t) => {
  const stream = '# @0\n> D<LF>\n# @100\n< 1<LF>\n# @200\n< 2<LF>\n# @300\n< 3<LF>\n';
  const { clock, open } = await playing(t, `${stream}# @350\n> <SUB>\n# @350\n< $\n# @400\n> E<LF>\n# @400\n< e<LF>\n`);
  for (const [end, expected] of [
    ['\x1a', '$'],
    ['E\n', '2\n3\ne\n'],
  ] as const) {
    const client = await open();
    client.type('D\n');
    await eventually(() => clock.pending === 1);
    await clock.advance(100);
    t.equal(await client.take('\n'), '1\n');
    client.type(end);
    t.equal(await client.take(expected), expected);
    t.equal(clock.pending, 0);
    client.socket.destroy();
  }
});

t.test('a transcript without a message accepts, and says nothing', async (t) => {
  const { open, unknown } = await playing(t, '# nothing\n');
  const client = await open();
  client.type('A\n');
  await eventually(() => unknown.length === 1);
  t.equal(client.heard, '');
});
