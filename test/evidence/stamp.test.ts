/** Time stamps: whole ones of openssl in all algorithms, and such that somebody made up, swapped or damaged. */
import t from 'tap';
import { certificatesOfPem } from '../../plugins/evidence/verify/certificates.ts';
import { checkStamp } from '../../plugins/evidence/verify/check.ts';
import { keptForm, NO_OPENSSL, openOffice, type Said, type Wish } from '../support/time-stamp-office.ts';

const options = { skip: NO_OPENSSL };
const SIGNATURE = Buffer.alloc(64, 5);

t.test('a stamp of openssl: when, by whom, and to which authority its certificates lead', options, async (t) => {
  const office = openOffice(t);
  office.authority('stranger');
  const stamp = office.stamp(SIGNATURE);
  const authorities = certificatesOfPem(office.pem('stranger') + office.pem('ca'));
  const found = await checkStamp(stamp, SIGNATURE, { authorities });
  t.match(found, {
    at: /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/,
    authority: 'O=Büro, CN=tsa',
    fingerprint: office.fingerprint('tsa'),
    fault: undefined,
    unchecked: undefined,
  });
  t.strictSame(await checkStamp(stamp, SIGNATURE), found);
  const own = certificatesOfPem(office.pem('tsa'));
  t.equal((await checkStamp(stamp, SIGNATURE, { authorities: own })).fault, undefined, 'the certificate itself');
  const stranger = certificatesOfPem(office.pem('stranger'));
  t.match(await checkStamp(stamp, SIGNATURE, { authorities: stranger }), { fault: /does not lead to an authority/ });
  t.throws(() => certificatesOfPem('no PEM'), /holds no certificate/);
});

t.test('authorities between: all of them are in the stamp, or none', options, async (t) => {
  const office = openOffice(t);
  office.certificate('middle', { use: 'authority' });
  office.certificate('below', { by: 'middle' });
  const authorities = certificatesOfPem(office.pem('ca'));
  const faultWith = async (chain: string, known = authorities) => {
    office.write('chain.pem', chain);
    const stamp = keptForm(office.stamp(SIGNATURE, 'below', '-chain', 'chain.pem'));
    return (await checkStamp(stamp, SIGNATURE, { authorities: known })).fault;
  };
  t.equal(await faultWith(office.pem('middle') + office.pem('ca')), undefined);
  // Nobody vouches for the bytes of a last one that did not sign itself.
  t.equal(await faultWith(office.pem('middle')), 'its certificates do not lead up to one that signed itself');
  const alone = keptForm(office.stamp(SIGNATURE, 'below'));
  t.match(
    await checkStamp(alone, SIGNATURE, { authorities }),
    { fault: /does not lead/ },
    'the one between is missing',
  );
  const middle = certificatesOfPem(office.pem('middle'));
  t.match(await checkStamp(alone, SIGNATURE, { authorities: middle }), { fault: undefined });
});

t.test('keys of RSA, curves and Edwards curves', options, async (t) => {
  const office = openOffice(t);
  const wishes: Record<string, readonly [algorithm: readonly string[], flags?: readonly string[]]> = {
    rsa: [['-newkey', 'rsa:2048']],
    pss: [
      ['-newkey', 'rsa:2048'],
      ['-cades', '-keyopt', 'rsa_padding_mode:pss'],
    ],
    p384: [
      ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
      ['-cades', '-md', 'sha384'],
    ],
    p521: [
      ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
      ['-cades', '-md', 'sha512'],
    ],
  };
  for (const [name, [algorithm, flags]] of Object.entries(wishes)) {
    office.certificate(name, { algorithm });
    const stamp = office.madeUp({ of: SIGNATURE, by: name, ...(flags && { flags }) });
    t.match(
      await checkStamp(stamp, SIGNATURE),
      { authority: `O=Büro, CN=${name}`, fault: undefined, unchecked: undefined },
      name,
    );
    stamp[stamp.length - 1] = (stamp.at(-1) ?? 0) ^ 1;
    t.match(await checkStamp(stamp, SIGNATURE), { fault: 'its signature does not fit its certificate' }, name);
  }
  // openssl 3.0 writes no stamp with this one, but its certificates.
  office.authority('edwards', ['-newkey', 'ed25519']);
  office.certificate('below', { by: 'edwards' });
  const stamp = office.madeUp({ of: SIGNATURE, by: 'below', flags: ['-cades', '-certfile', 'edwards.pem'] });
  t.strictSame(Object.keys(await checkStamp(stamp, SIGNATURE)), ['at', 'authority', 'fingerprint']);
});

t.test('certificates and stamps that no honest authority gives', options, async (t) => {
  const office = openOffice(t);
  const faultOf = async (said: Omit<Said, 'of'>, wish?: Wish) => {
    if (wish) office.certificate('other', wish);
    const stamp = office.madeUp({ of: SIGNATURE, ...(wish && { by: 'other' }), ...said });
    return (await checkStamp(stamp, SIGNATURE, { signedAt: new Date().toISOString() })).fault;
  };
  t.equal(await faultOf({}), undefined, 'a good one');
  for (const use of ['lenient', 'many', 'mail', 'none', 'authority'] as const)
    t.equal(await faultOf({}, { use }), 'its certificate is not one for time stamps alone', use);
  t.match(await faultOf({}, { to: '20210101000000Z' }), /^its certificate was not valid at 20/);
  t.match(await faultOf({}, { from: '20390101000000Z' }), /^its certificate was not valid at 20/);
  t.equal(await faultOf({ flags: [] }), 'it names another certificate than the one in it', 'not named');
  t.equal(await faultOf({ flags: ['-cades', '-nocerts'] }), 'it is no time stamp');
  t.equal(await faultOf({ flags: ['-noattr'] }), 'it is no time stamp');
  t.equal(await faultOf({ contentType: '1.2.840.113549.1.7.1' }), 'it is no time stamp', 'another type of content');
  t.equal(await faultOf({ flags: ['-cades', '-certfile', 'ca.pem'] }), undefined, 'its authority is in it');
  office.authority('stranger');
  const left = await faultOf({ flags: ['-cades', '-certfile', 'stranger.pem'] });
  t.equal(left, 'its certificates do not lead up to one that signed itself');
  office.certificate('leaf', { use: 'none' });
  t.equal(await faultOf({}, { by: 'leaf' }), undefined, 'who signed it is not in the stamp');
  const byLeaf = await faultOf({ flags: ['-cades', '-certfile', 'leaf.pem'] }, { by: 'leaf' });
  t.equal(byLeaf, 'its certificates do not lead up to one that signed itself', 'one that may sign no certificate');
  t.match(await faultOf({ at: new Date(Date.now() - 600_000) }), /before the signature was made/);
  t.equal(await faultOf({ at: new Date(Date.now() - 240_000) }), undefined, 'two clocks differ');
  const another = await checkStamp(office.stamp(Buffer.from('another')), SIGNATURE);
  t.match(another, { fault: 'it is the stamp of another signature', authority: 'O=Büro, CN=tsa' });
  t.match(await checkStamp(Buffer.from('<html>'), SIGNATURE), { fault: 'it is no time stamp', at: null });
  t.match(await checkStamp(Buffer.of(), SIGNATURE), { fault: 'it is no time stamp' });
});
