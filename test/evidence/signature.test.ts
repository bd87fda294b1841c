/** Signing against published vectors: RFC 8032 for Ed25519, the example of DSSE for what is signed. */
import { createPublicKey, verify } from 'node:crypto';
import t from 'tap';
import { fingerprintOf, signEd25519 } from '../../lib/signing/keys.ts';
import { preAuthenticationEncoding } from '../../plugins/evidence/verify/manifest.ts';
import { writtenValues } from '../../plugins/evidence/verify/tables.ts';
import { KEY, privateKeyOf, signedBy } from '../support/evidence.ts';

/** RFC 8032, 7.1, tests 1 to 3: secret key, message, signature. */
const VECTORS = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;

t.test('signatures are those of RFC 8032', async (t) => {
  for (const [secret, message, signature] of VECTORS) {
    const key = privateKeyOf(Buffer.from(secret, 'hex'));
    const bytes = Buffer.from(message, 'hex');
    t.equal(Buffer.from(signEd25519(bytes, key)).toString('hex'), signature);
  }
});

t.test('the signed text is encoded as in the example of DSSE', async (t) => {
  const encoded = preAuthenticationEncoding('http://example.com/HelloWorld', Buffer.from('hello world'));
  t.equal(String(Buffer.from(encoded)), 'DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  const umlaut = preAuthenticationEncoding('ä', Buffer.from('ö'));
  t.equal(String(Buffer.from(umlaut)), 'DSSEv1 2 ä 2 ö', 'lengths are bytes');
});

t.test('the envelope names the manifest by its hash, and the key by its fingerprint', async (t) => {
  const predicate = { signed_at: '2026-11-22T09:00:00.000Z', unit_id: 'roof', from: 'a', to: 'b' };
  const { envelope, publicKey, signature } = signedBy(KEY, Buffer.from('{}'), predicate);
  const { payloadType, payload, signatures } = JSON.parse(envelope);
  const statement = JSON.parse(Buffer.from(payload, 'base64').toString());
  t.strictSame(statement, {
    _type: 'https://in-toto.io/Statement/v1',
    predicate,
    predicateType: 'urn:slm-gateway:evidence:1',
    subject: [
      { digest: { sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' }, name: 'manifest.json' },
    ],
  });
  t.equal(signatures[0].keyid, fingerprintOf(createPublicKey(publicKey)));
  t.equal(signatures[0].sig, Buffer.from(signature).toString('base64'));
  const message = preAuthenticationEncoding(payloadType, Buffer.from(payload, 'base64'));
  t.ok(verify(null, message, createPublicKey(publicKey), signature));
});

t.test('a line of CSV is cut at the commas that divide', async (t) => {
  t.strictSame(writtenValues('a,b,,c'), ['a', 'b', '', 'c']);
  t.strictSame(writtenValues('a,"b,c","d""e,f",'), ['a', '"b,c"', '"d""e,f"', '']);
  t.strictSame(writtenValues(''), ['']);
});
