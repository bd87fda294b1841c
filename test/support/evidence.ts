/** Packages of evidence, made by hand from small parts. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { fingerprintOf, signEd25519 } from '../../lib/signing/keys.ts';
import { evidenceArchive, type PackagePart } from '../../plugins/evidence/archive.ts';
import { type SignedManifest, signManifest } from '../../plugins/evidence/stamping.ts';
import type { PackageFields, Predicate } from '../../plugins/evidence/verify/manifest.ts';
import { dayRoot, MerkleTree, PLAIN_HASHES } from '../../plugins/evidence/verify/merkle.ts';

/** Before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** When the packages of tests are signed. */
export const SIGNED_AT = '2026-11-22T09:00:00.000Z';

export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

export const KEY = privateKeyOf(Buffer.alloc(32, 7));

export function signedBy(key: KeyObject, manifest: Uint8Array, about: Predicate): SignedManifest {
  const publicKey = createPublicKey(key);
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return signManifest(manifest, about, { fingerprint: fingerprintOf(publicKey), pem }, (message) =>
    signEd25519(message, key),
  );
}

export function fieldsOf(key: KeyObject = KEY): PackageFields {
  return {
    unit_id: 'roof',
    gateway: { version: '0.3.0' },
    key: { fingerprint: fingerprintOf(createPublicKey(key)) },
    query: {
      from: '2026-11-19T23:00:00.000Z',
      to: '2026-11-21T23:00:00.000Z',
      timezone: 'Europe/Berlin',
      include: ['levels', 'files', 'audit'],
    },
  };
}

const HEADER = 'time,channel,source,leq,lmax,flags';

/** Lines of a table of levels without the header. */
export function rowsOf(day: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    const time = `${day}T${String(Math.floor(n / 60) % 24).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00Z`;
    return `${time},main,stream,${(50 + (n % 70) / 10).toFixed(1)},${(60 + (n % 90) / 10).toFixed(1)},${n % 50 === 3 ? '"over,under"' : ''}`;
  });
}

export const tableOf = (rows: readonly string[]): string => `${[HEADER, ...rows].join('\n')}\n`;

export function sealOf(day: string, kinds: Readonly<Record<string, readonly string[]>>) {
  const trees = Object.entries(kinds).map(([kind, rows]) => {
    const tree = new MerkleTree(PLAIN_HASHES);
    for (const row of rows) tree.add(row);
    return { kind, root: Buffer.from(tree.root()).toString('hex'), rows: rows.length };
  });
  const rows = trees.reduce((sum, { rows }) => sum + rows, 0);
  return { day, version: 1, root: dayRoot(trees), rows, replaces: null, kinds: trees };
}

/**
 * Small parts of every kind: two days of levels with their seals, files, and what is written down. `secondsGone`: the days
 * were sealed with seconds that are no longer kept.
 */
export function partsOf({ secondsGone = false } = {}): PackagePart[] {
  const days = ['2026-11-20', '2026-11-21'].map((day, n) => ({
    day,
    kinds: { intervals: rowsOf(day, 4 + n), minutes: rowsOf(day, 120 + n) },
  }));
  const sealed = ({ day, kinds }: (typeof days)[number]) =>
    sealOf(day, secondsGone ? { ...kinds, seconds: rowsOf(day, 300) } : kinds);
  const levels = days.flatMap(({ day, kinds }) =>
    Object.entries(kinds).map(
      ([kind, rows]): PackagePart => ({ path: `levels/${day}/${kind}.csv`, content: tableOf(rows), table: true }),
    ),
  );
  return [
    { path: 'README.txt', content: 'A package of evidence.\n' },
    { path: 'audit.jsonl', content: '{"n":1,"event":"start"}\n{"n":2,"event":"seal"}\n' },
    { path: 'clock.csv', content: 'time,offset_ms\n2026-11-20T00:00:00Z,12\n', table: true },
    {
      path: 'files/NL-43/Auto_0001/NL_0001.rnd',
      content: Buffer.from(Array.from({ length: 700 }, (_, n) => (n * 37) % 251)),
    },
    { path: 'files/NL-43/Grüße.txt', content: 'ä\n' },
    ...levels,
    { path: 'seals.json', content: JSON.stringify(days.map(sealed)) },
    { path: 'settings.json', content: '{"weighting":"A"}' },
  ];
}

/** The seconds of a sealed day are gone, its minutes fit, and it has intervals that were not sealed. */
export const partsWithUnsealedTable = (): PackagePart[] =>
  partsOf().map((part): PackagePart => {
    if (part.path !== 'seals.json') return part;
    const kinds = { minutes: rowsOf('2026-11-20', 120), seconds: rowsOf('2026-11-20', 300) };
    return { ...part, content: JSON.stringify([sealOf('2026-11-20', kinds)]) };
  });

interface Packing {
  readonly key?: KeyObject;
  readonly fields?: PackageFields;
  readonly signedAt?: string;
  /** The answer of a time stamp server for a signature. */
  readonly stamp?: (signature: Buffer) => Promise<Buffer>;
  /** Text of the statement about its stamp; packages of earlier versions have no such text. */
  readonly said?: string;
}

/** A package; `fields` and the key may be those of another gateway. */
export function packed(
  parts: AsyncIterable<PackagePart> | Iterable<PackagePart> = partsOf(),
  { key = KEY, fields = fieldsOf(key), signedAt = SIGNED_AT, stamp, said }: Packing = {},
): Promise<Buffer> {
  const { unit_id, query } = fields;
  const sign = async (manifest: Buffer) => {
    const about = { signed_at: signedAt, unit_id, from: query.from, to: query.to };
    const signed = signedBy(key, manifest, { ...about, ...(said !== undefined && { stamp: said }) });
    return { ...signed, timestamp: await stamp?.(Buffer.from(signed.signature)) };
  };
  return buffer(evidenceArchive(parts, fields, sign));
}

export const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
});
