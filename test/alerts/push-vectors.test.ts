/** Web Push is encrypted as its RFCs say: their published examples, and messages of our library read by another implementation. */
import { createECDH } from 'node:crypto';
import library from 'http_ece';
import t from 'tap';
import { settingsOf } from '../../lib/plugin/settings.ts';
import { pushRequestOf } from '../../plugins/alerts/delivery/push/push-sender.ts';
import { contactOf, Vapid } from '../../plugins/alerts/delivery/push/vapid.ts';
import alerts from '../../plugins/alerts/index.ts';
import type { AlertSettings } from '../../plugins/alerts/settings.ts';
import { decoded, PushBrowser, vapidOf } from '../support/push-reader.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

/** RFC 8291, 5 and appendix A. */
const EXAMPLE = {
  text: 'When I grow up, I want to be a watermelon',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  publicKey: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
};

t.test('the reader of the tests reads the examples of RFC 8188 and RFC 8291', async (t) => {
  const walrus = bytes('I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg');
  t.equal(decoded(walrus, () => bytes('yqdlZ-tYemfogSmv7Ws5PQ')).toString(), 'I am the walrus', 'RFC 8188, 3.1');
  const records = bytes(
    'uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA',
  );
  const read = decoded(records, (keyId) => {
    t.equal(keyId.toString(), 'a1');
    return bytes('BO3ZVPxUlnLORbVGMpbT1Q');
  });
  t.equal(read.toString(), 'I am the walrus', 'RFC 8188, 3.2: two records');
  const browser = new PushBrowser(EXAMPLE);
  t.equal(browser.keys.p256dh, EXAMPLE.publicKey);
  t.equal(browser.read(bytes(EXAMPLE.body)), EXAMPLE.text, 'RFC 8291');
  const flipped = bytes(EXAMPLE.body);
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  t.throws(() => browser.read(flipped), 'it does not read what was changed');
});

t.test('the library of the gateway writes the example of RFC 8291 byte for byte', async (t) => {
  const privateKey = createECDH('prime256v1');
  privateKey.setPrivateKey(bytes(EXAMPLE.senderPrivate));
  const written = library.encrypt(Buffer.from(EXAMPLE.text), {
    version: 'aes128gcm',
    dh: EXAMPLE.publicKey,
    authSecret: EXAMPLE.auth,
    salt: EXAMPLE.salt,
    privateKey,
  });
  t.equal(written.toString('base64url'), EXAMPLE.body);
});

t.test(
  'a request is read by the other implementation, and its token is signed by the key of the gateway',
  async (t) => {
    const kept = new Map<string, string>();
    const secrets = {
      get: async (name: string) => kept.get(name),
      put: async (name: string, text: string) => void kept.set(name, text),
      remove: async () => {},
      names: async () => [...kept.keys()],
    };
    const vapid = new Vapid(secrets);
    const [pair, same] = await Promise.all([vapid.pair(), vapid.pair()]);
    t.same(same, pair, 'the first two at once get one key');
    t.same(await new Vapid(secrets).pair(), pair, 'and so does the next start');
    const browser = new PushBrowser();
    const address = { endpoint: 'https://push.example.org:8443/abc', ...browser.keys };
    const now = Date.UTC(2026, 0, 2);
    const origin = { pair, contact: 'mailto:noise@example.org', now };
    const bodies: string[] = [];
    for (const text of ['{"title":"Lärm"}', '{"title":"Lärm"}', 'ü'.repeat(1_996)]) {
      const { url, body, headers } = await pushRequestOf({ address, text, topic: 'event-1', urgency: 'high' }, origin);
      t.equal(url, address.endpoint);
      t.ok(body.length <= 4_096);
      t.equal(browser.read(body), text);
      t.throws(() => new PushBrowser().read(body), 'nobody else reads it');
      bodies.push(body.toString('base64url'));
      const { claims, key } = vapidOf(headers.authorization);
      t.equal(key, pair.publicKey);
      const expected = {
        aud: 'https://push.example.org:8443',
        sub: 'mailto:noise@example.org',
        exp: now / 1_000 + 43_200,
      };
      t.same(claims, expected);
    }
    t.equal(new Set(bodies).size, 3, 'the same message is never the same bytes');
  },
);

t.test('addresses of push services that are allowed', async (t) => {
  const none = settingsOf(alerts, {}) as AlertSettings;
  t.equal(contactOf(none), undefined);
  t.equal(contactOf({ ...none, public_url: 'http://192.0.2.7/api/nl43' }), undefined);
  const outside = 'https://noise.example.org/api/nl43';
  t.equal(contactOf({ ...none, public_url: outside }), outside);
  t.equal(contactOf({ ...none, smtp_from: 'Noise <noise@example.org>' }), 'mailto:noise@example.org');
  for (const name of ['localhost', 'gateway.local', 'gateway', 'box.lan', '192.0.2.7', '[192.0.2.7]', 'a.home.arpa']) {
    t.equal(contactOf({ ...none, smtp_from: `noise@${name}` }), undefined, name);
    const inside = { smtp_from: `noise@${name}`, push_contact: `mailto:noise@${name}` };
    t.equal(contactOf({ ...none, ...inside, public_url: outside }), outside, `${name} is passed over`);
    t.equal(contactOf({ ...none, public_url: `https://${name}/api/nl43` }), undefined);
  }
  t.equal(
    contactOf({ ...none, smtp_from: 'a@example.org', push_contact: 'https://example.org' }),
    'https://example.org',
  );
  for (const push_contact of ['noise@example.org', 'mailto:noise', 'http://example.org', 'mailto:a@b c'])
    t.throws(() => settingsOf(alerts, { push_contact }), /push_contact/, push_contact);
});
