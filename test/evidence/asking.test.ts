/** A time stamp server is asked: honest ones of openssl, and such that answer with anything else. */
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TimeStampReq } from '@peculiar/asn1-tsp';
import t, { type Test } from 'tap';
import { GatewayError } from '../../lib/errors.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { createPolicy } from '../../lib/outbound/policy.ts';
import { askForStamp, type StampOutcome } from '../../plugins/evidence/stamp/asking.ts';
import { certificatesOfPem } from '../../plugins/evidence/verify/certificates.ts';
import { checkStamp } from '../../plugins/evidence/verify/check.ts';
import { tokenIn } from '../../plugins/evidence/verify/token.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { serveHttp } from '../support/serve-http.ts';
import { answerOf, NO_OPENSSL, type Office, openOffice } from '../support/time-stamp-office.ts';

const options = { skip: NO_OPENSSL };
const SIGNATURE = Buffer.alloc(64, 9);
const signal = new AbortController().signal;
const never = new AbortController().signal;

/** Its clock shows the time of this computer and stands still. */
function outboundOf(allowNetworks: string[] = ['127.0.0.0/8']) {
  const clock = new VirtualClock(Date.now());
  const settings = {
    allowLoopback: false,
    allowPrivate: true,
    allowNetworks,
    denyNetworks: [],
    allowPorts: [],
    denyPorts: [],
  };
  const names = { loopback: 'outbound_allow_networks', allowNetworks: 'outbound_allow_networks' };
  const { addresses } = createPolicy({ settings, names, ownPort: () => 8_100 });
  return { clock, outbound: createOutbound({ clock, addresses, internet: addresses }) };
}

/** Answers with what is made of the request. */
const answering =
  (make: (query: Buffer) => Buffer): RequestListener =>
  async (request, response) => {
    const query = await buffer(request);
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(make(query));
  };

/** As an office that makes up its stamps reads a request. */
function read(query: Buffer): { readonly nonce: Uint8Array } {
  const { nonce } = AsnConvert.parse(query, TimeStampReq);
  return { nonce: new Uint8Array(nonce ?? new ArrayBuffer(0)) };
}

const reasonOf = (outcome: StampOutcome): string => ('reason' in outcome ? outcome.reason : 'it is stamped');

/** Outcome with a server that answers at once: no time passes. */
async function asked(t: Test, make: (query: Buffer) => Buffer, caFile = ''): Promise<StampOutcome> {
  const url = await serveHttp(t, answering(make));
  return askForStamp({ url, caFile }, SIGNATURE, outboundOf(), never);
}

t.test('the answer of openssl is kept, and says whether its authority is known', options, async (t) => {
  const office = openOffice(t);
  const seen: string[] = [];
  const url = await serveHttp(t, async (request, response) => {
    seen.push(`${request.method} ${request.headers['content-type']}`);
    const query = await buffer(request);
    const { certReq, nonce, messageImprint } = AsnConvert.parse(query, TimeStampReq);
    seen.push(`${certReq} ${nonce?.byteLength} ${messageImprint.hashAlgorithm.algorithm}`);
    response.end(office.reply(query));
  });
  const outcome = await askForStamp({ url, caFile: join(office.folder, 'ca.pem') }, SIGNATURE, outboundOf(), signal);
  if ('reason' in outcome) throw new Error(outcome.reason);
  const { bytes, ...said } = outcome.stamp;
  t.match(said, { authority: 'O=Büro, CN=tsa', fingerprint: office.fingerprint('tsa'), is_known: true });
  t.match(await checkStamp(bytes, SIGNATURE), { at: said.at, fault: undefined });
  t.strictSame(seen, ['POST application/timestamp-query', 'true 16 2.16.840.1.101.3.4.2.1']);
  const unknown = await asked(t, (query) => office.reply(query));
  t.match(unknown, { stamp: { is_known: false } }, 'without a file of authorities anybody may stamp');
});

t.test(
  'a server that writes unsigned parts in a form other than DER: the stamp is written again, and is valid',
  options,
  async (t) => {
    const office = openOffice(t);
    office.authority('stranger');
    for (const flags of [
      ['-cades', '-stream'],
      ['-cades', '-certfile', 'stranger.pem'],
    ]) {
      const outcome = await asked(t, (query) => office.madeUp({ of: SIGNATURE, ...read(query), flags }));
      if ('reason' in outcome) throw new Error(outcome.reason);
      t.match(await checkStamp(outcome.stamp.bytes, SIGNATURE), { authority: 'O=Büro, CN=tsa', fault: undefined });
    }
  },
);

t.test('certificates between that come without the highest one', options, async (t) => {
  const office = openOffice(t);
  office.certificate('middle', { use: 'authority' });
  office.certificate('below', { by: 'middle' });
  office.write('chain.pem', office.pem('middle'));
  const reply = (query: Buffer) => office.reply(query, 'below', '-chain', 'chain.pem');
  const kept = async (caFile: string) => {
    const outcome = await asked(t, reply, caFile);
    if ('reason' in outcome) throw new Error(outcome.reason);
    return outcome.stamp.bytes;
  };
  const whole = await kept(join(office.folder, 'ca.pem'));
  const authorities = certificatesOfPem(office.pem('ca'));
  t.match(await checkStamp(whole, SIGNATURE, { authorities }), { fault: undefined }, 'the highest one is put in');
  t.equal(tokenIn(whole)?.others.length, 2);
  const bare = await kept('');
  t.match(await checkStamp(bare, SIGNATURE), { fault: undefined });
  t.equal(tokenIn(bare)?.others.length, 0, 'where it is not known, that of the signer stays alone');
});

t.test('answers that are not kept, each with its reason', options, async (t) => {
  const office = openOffice(t);
  office.authority('stranger');
  office.certificate('old', { to: '20210101000000Z' });
  const madeUp = (said: Partial<Parameters<Office['madeUp']>[0]>) => (query: Buffer) =>
    office.madeUp({ of: SIGNATURE, ...read(query), ...said });
  const refused = (what: string) => `the time stamp of the server was refused: ${what}`;
  const cases: readonly (readonly [name: string, make: (query: Buffer) => Buffer, reason: RegExp | string])[] = [
    [
      'another nonce',
      madeUp({ nonce: Buffer.from('0102030405', 'hex') }),
      refused('it is the answer to another request'),
    ],
    ['no nonce', () => office.stamp(SIGNATURE), refused('it is the answer to another request')],
    ['another imprint', madeUp({ of: Buffer.from('x') }), refused('it is the stamp of another signature')],
    ['an expired certificate', madeUp({ by: 'old' }), /refused: its certificate was not valid at 20/],
    ['too early', madeUp({ at: new Date(Date.now() - 400_000) }), /more than 5 minutes from the clock of the gateway$/],
    ['too late', madeUp({ at: new Date(Date.now() + 400_000) }), /more than 5 minutes from the clock of the gateway$/],
    [
      'refused',
      () => Buffer.from('3024302202010230190c17426164207265717565737420666f726d61742e0a03020520', 'hex'),
      /^the time stamp server refused the request \(status 2, Bad request format\)$|no time stamp/,
    ],
    [
      'a web page',
      () => Buffer.from('<html><body>Welcome</body></html>'),
      /^the answer of the time stamp server is no time stamp$/,
    ],
    ['nothing', () => Buffer.of(), /^the answer of the time stamp server is no time stamp$/],
    [
      'granted, and empty',
      () => Buffer.from('30053003020100', 'hex'),
      /^the answer of the time stamp server has no time stamp$/,
    ],
    ['granted, and rubbish', () => answerOf(Buffer.from('3003020107', 'hex')), /no time stamp/],
    ['one byte changed', (query) => flipped(office.reply(query)), /refused: its signature does not fit/],
  ];
  for (const [name, make, reason] of cases) {
    const said = reasonOf(await asked(t, make));
    if (typeof reason === 'string') t.equal(said, reason, name);
    else t.match(said, reason, name);
  }
  const byStranger = await asked(t, (query) => office.reply(query), join(office.folder, 'stranger.pem'));
  t.match(reasonOf(byStranger), /does not lead to an authority that you named$/);
  t.match(
    reasonOf(await asked(t, (query) => office.reply(query), '/nowhere.pem')),
    /^the file of timestamp_ca_file is of no use: ENOENT/,
  );
  t.match(reasonOf(await asked(t, (query) => office.reply(query), join(office.folder, 'tsa.key'))), /no certificate/);
});

function flipped(answer: Buffer): Buffer {
  answer[answer.length - 3] = (answer.at(-3) ?? 0) ^ 0xff;
  return answer;
}

t.test('a refusal of openssl itself', options, async (t) => {
  const office = openOffice(t);
  const said = reasonOf(await asked(t, () => office.reply(Buffer.from('30030201ff', 'hex'))));
  t.match(said, /^the time stamp server refused the request \(status 2, /);
});

t.test('servers that send too much, too slowly or without an end, lead elsewhere, or may not be called', async (t) => {
  const { clock, outbound } = outboundOf();
  let requests = 0;
  const said = async (listener: RequestListener) => {
    const url = await serveHttp(t, (request, response) => {
      requests += 1;
      request.resume();
      listener(request, response);
    });
    const work = askForStamp({ url, caFile: '' }, SIGNATURE, { outbound, clock }, never);
    return reasonOf(await clock.until(work, { stepMs: 100 }));
  };
  t.match(await said((_, response) => void response.end(Buffer.alloc(70_000))), /longer than 65536 bytes$/);
  const endless: RequestListener = (_, response) => {
    const more = () => void (response.destroyed || response.write(Buffer.alloc(16_384), () => setImmediate(more)));
    more();
  };
  t.match(await said(endless), /longer than 65536 bytes$/);
  requests = 0;
  t.match(await said(() => {}), /There was no answer within 15 s$/);
  t.equal(requests, 3, 'it is asked three times');
  t.match(await said((_, response) => void response.writeHead(200).flushHeaders()), /There was no answer within 15 s$/);
  t.match(await said((request) => void request.socket.destroy()), /could not be asked: The call to 127/);
  requests = 0;
  const redirect = await said((_, response) => void response.writeHead(302, { location: '/other' }).end());
  t.equal(redirect, 'the time stamp server answered 302; redirects are not followed');
  t.match(await said((_, response) => void response.writeHead(401).end()), /answered 401$/);
  t.equal(requests, 2, 'neither is asked again');
  const closed = outboundOf([]);
  for (const host of ['127.0.0.1', '169.254.169.254', '[::1]', '0x7f.1']) {
    const answer = await askForStamp({ url: `http://${host}:9/`, caFile: '' }, SIGNATURE, closed, never);
    t.match(reasonOf(answer), /outbound_allow_networks|machine itself|metadata/, host);
  }
});

t.test('a busy server is asked again after a pause, and the work ends with its signal', options, async (t) => {
  const office = openOffice(t);
  const clock = new VirtualClock(Date.now(), { timersOnly: true });
  const answers = [503, 'gone', 200] as const;
  const times: number[] = [];
  const outbound = {
    async postBytes({ body }: { readonly body: Uint8Array }) {
      const answer = answers[times.length];
      times.push(clock.elapsed());
      if (answer === 'gone') throw new GatewayError('OUTBOUND_FAILED', 'The call failed.');
      return { status: answer ?? 500, contentType: '', body: answer === 200 ? office.reply(body) : Buffer.of() };
    },
  };
  const server = { url: 'http://tsa.example.org/', caFile: '' };
  let answered = false;
  const asked = askForStamp(server, SIGNATURE, { outbound, clock }, never).finally(() => {
    answered = true;
  });
  // Hashes are made beside the main thread: time goes on only in the pauses.
  while (!answered) {
    if (clock.pending > 0) await clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const outcome = await asked;
  t.match(outcome, { stamp: { authority: 'O=Büro, CN=tsa' } });
  t.strictSame(times, [0, 5_000, 35_000]);

  times.length = 0;
  const abort = new AbortController();
  const work = askForStamp(server, SIGNATURE, { outbound, clock }, abort.signal);
  work.catch(() => {});
  while (times.length === 0) await new Promise((resolve) => setImmediate(resolve));
  abort.abort(new Error('cancelled'));
  await t.rejects(work, { message: 'cancelled' });
  t.equal(times.length, 1);
});
