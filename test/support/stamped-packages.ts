/** Packages with time stamps that are good, and with such that are not: what every verifier must say of them. */
import type { Test } from 'tap';
import { ATTACHED } from '../../plugins/evidence/verify/manifest.ts';
import { packed, partsOf } from './evidence.ts';
import { repacked } from './evidence-attacks.ts';
import { keptForm, openOffice } from './time-stamp-office.ts';
import { unzip } from './unzip.ts';

/** A package and what is wrong with its stamp. */
export interface StampedPackage {
  readonly name: string;
  readonly bytes: Buffer;
  /** Undefined: it is whole. */
  readonly fault: RegExp | undefined;
  /** The certificate of the authority, PEM. */
  readonly authority: string;
}

const TSR = 'signature/timestamp.tsr';
/** Before the time that any computer shows which runs this. */
const SIGNED_AT = '2024-11-22T09:00:00.000Z';

/** Needs openssl. */
export async function stampedPackages(t: Pick<Test, 'teardown'>): Promise<readonly StampedPackage[]> {
  const office = openOffice(t);
  office.write('chain.pem', office.pem('ca'));
  office.certificate('old', { to: '20210101000000Z' });
  office.certificate('mail', { use: 'mail' });
  const subject = `/C=DE/organizationIdentifier=VATDE-1/serialNumber=7/CN=Zeit\nWHOLE \u001b[2J\u202e𝄞 ${'x'.repeat(20)}/emailAddress=a@example.org`;
  office.certificate('odd', { subject });
  const chained = (data: Buffer) => keptForm(office.stamp(data, 'tsa', '-chain', 'chain.pem'));
  const whole = (said?: string, stamp = chained) =>
    packed(partsOf(), {
      signedAt: SIGNED_AT,
      stamp: async (signature) => stamp(signature),
      ...(said !== undefined && { said }),
    });
  const made = async (name: string, fault: RegExp | undefined, bytes: Promise<Buffer>): Promise<StampedPackage> => ({
    name,
    fault,
    bytes: await bytes,
    authority: office.pem('ca'),
  });
  const stampOf = async (bytes: Promise<Buffer>) => unzip(await bytes).get(TSR) ?? Buffer.of();
  const other = await stampOf(
    packed(partsOf(), { signedAt: '2024-11-22T10:00:00.000Z', stamp: async (s) => chained(s) }),
  );
  const good = await whole(ATTACHED);
  const swapped = (stamp: Buffer) => repacked(good, (files) => void files.set(TSR, stamp));
  const own = await stampOf(Promise.resolve(good));
  const flipped = (at: number) => {
    const stamp = Buffer.from(own);
    stamp[at] = (stamp[at] ?? 0) ^ 0xff;
    return stamp;
  };
  return [
    await made('stamped', undefined, whole()),
    await made('stamped, and said so', undefined, Promise.resolve(good)),
    await made(
      'an odd name',
      undefined,
      whole(ATTACHED, (of) => office.madeUp({ of, by: 'odd' })),
    ),
    await made('not stamped, and said why', undefined, packed(partsOf(), { said: 'no time stamp server is set' })),
    await made(
      'the stamp taken away',
      /it is missing/,
      repacked(good, (files) => void files.delete(TSR)),
    ),
    await made('a stamp put in', /it was not there when it was signed/, whole('no time stamp server is set')),
    await made('that of another package', /it is the stamp of another signature/, swapped(other)),
    await made(
      'expired',
      /its certificate was not valid at/,
      whole(ATTACHED, (of) => office.madeUp({ of, by: 'old' })),
    ),
    await made(
      'for mail',
      /not one for time stamps/,
      whole(ATTACHED, (of) => office.madeUp({ of, by: 'mail' })),
    ),
    await made(
      'unnamed',
      /another certificate/,
      whole(ATTACHED, (of) => office.madeUp({ of, flags: [] })),
    ),
    await made(
      'too old',
      /before the signature/,
      whole(ATTACHED, (of) => office.madeUp({ of, at: new Date('2024-11-22T08:50:00Z') })),
    ),
    await made('no stamp', /it is no time stamp/, swapped(Buffer.from('0 no stamp'))),
    await made('a web page', /it is no time stamp/, swapped(Buffer.from('<html><body>502</body></html>'))),
    await made('empty', /it is no time stamp/, swapped(Buffer.of())),
    await made('more behind it', /it is no time stamp/, swapped(Buffer.concat([own, Buffer.of(0)]))),
    await made('one byte cut off', /it is no time stamp/, swapped(own.subarray(0, -1))),
    ...(await Promise.all(
      Array.from({ length: 60 }, (_, n) => Math.floor((n * (own.length - 1)) / 59)).map((at) =>
        made(`byte ${at} turned over`, /./, swapped(flipped(at))),
      ),
    )),
  ];
}
