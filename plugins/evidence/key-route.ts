/** The public key of evidence. The private one is in no answer. */
import { type EvidenceKey, type Host, iso, named, TIME, TIME_OR_NULL } from '../../lib/index.ts';

const FINGERPRINT = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'SHA-256 of the public key (DER, SPKI): compare it with the one of a package.',
} as const;

const KEY = named('EvidenceKey', {
  fingerprint: FINGERPRINT,
  pem: { type: 'string', description: 'The public key, SPKI.' },
  since: TIME,
  retired_at: { ...TIME_OR_NULL, description: 'null: it signs now.' },
  reason: {
    type: ['string', 'null'],
    enum: ['rotated', 'lost', null],
    description: 'Why it signs no more. lost: its private half could not be read.',
  },
});

/** GET `/_evidence/key`. */
export function keyRoute(host: Host): void {
  host.route({
    method: 'GET',
    path: '/_evidence/key',
    access: 'viewer',
    operation: 'showEvidenceKey',
    filtersUnits: true,
    summary: 'Show the public key that signs packages of evidence',
    description:
      'The first call makes the key, if no package was made before. Write its fingerprint into the contract or the first report. `retired`: keys that signed before, the latest first.',
    answer: { data: KEY, retired: { type: 'array', items: KEY } },
    errors: [],
    async handle() {
      const data = shownKey(await host.evidence.present());
      return { data, retired: host.evidence.retired().map(shownKey) };
    },
  });
}

const shownKey = ({ fingerprint, pem, since, retiredAt, reason }: EvidenceKey) => ({
  ...{ fingerprint, pem, since: iso(since), retired_at: retiredAt === null ? null : iso(retiredAt), reason },
});
