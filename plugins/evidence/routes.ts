/** Packages by the API (asked for, listed, downloaded), and the public key that signs them. */
import type { MakeEvidenceBody } from '../../client/schemas.ts';
import {
  type GatewayKey,
  invalid,
  type JobRun,
  listQuery,
  MOMENT,
  momentOf,
  NEXT,
  type PageQuery,
  pageOf,
  TIME_OR_NULL,
} from '../../lib/built-in.ts';
import {
  file,
  GatewayError,
  type Host,
  iso,
  json,
  named,
  orNull,
  type Request,
  type Schema,
  spanOf,
  TIME,
} from '../../lib/index.ts';
import { KIND_NAMES, type Kind } from './gathering.ts';
import { type MadePackage, makePackage, type Wanted } from './making.ts';
import type { KeptPackages } from './packages.ts';
import type { DaySealer } from './seals/sealer.ts';
import type { EvidenceSettings } from './stamping.ts';

const JOB = 'evidence';
const MOST_DAYS = 400;
const REPORT_DAYS = 370;
const DAY_MS = 86_400_000;
/** The clocks of two computers may differ by so much: what is later than that is in the future, ms. */
const CLOCKS_MS = 60_000;

const INCLUDE: Schema = {
  type: 'array',
  items: { type: 'string', enum: [...KIND_NAMES] },
  uniqueItems: true,
  minItems: 1,
  description: 'What is in it. Without it: everything that the caller may hand over.',
};

const WANTED: Schema = {
  type: 'object',
  properties: {
    from: { ...MOMENT, description: 'with its offset from UTC; it belongs to the span' },
    to: { ...MOMENT, description: 'at most 400 days later; it does not belong to the span' },
    include: INCLUDE,
  },
  required: ['from', 'to'],
  additionalProperties: false,
};

const STAMP: Schema = named('EvidenceStamp', {
  at: TIME,
  authority: { type: 'string', description: 'The subject of the certificate of the authority.' },
  fingerprint: { type: 'string', description: 'SHA-256 of that certificate (DER).' },
  is_known: {
    type: 'boolean',
    description: 'false: the certificate is not checked against a known authority, see `timestamp_ca_file`.',
  },
});

const PACKAGE: Schema = named('EvidencePackage', {
  id: { type: 'string', description: 'That of the job that made it.' },
  unit_id: { type: 'string' },
  from: TIME,
  to: TIME,
  timezone: { type: 'string', description: 'The zone of its days.' },
  include: INCLUDE,
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the whole ZIP.' },
  bytes: { type: 'integer' },
  fingerprint: { type: 'string', description: 'Of the key that signed it.' },
  made_at: TIME,
  stamped: { ...orNull(STAMP), description: 'Who stamped its signature (RFC 3161); null: nobody.' },
  not_stamped: {
    type: ['string', 'null'],
    description: 'Why it is not stamped; null: it is, or it was made by an earlier version.',
  },
});

const LIST_QUERY = listQuery({}, { type: 'string', pattern: '^[1-9][0-9]{0,14}$' });

const PACKAGE_ID = {
  id: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a package' },
} as const;

export function packageRoutes(host: Host<EvidenceSettings>, packages: KeptPackages, sealer: DaySealer): void {
  const run = (job: JobRun<Wanted>) => makePackage(host, packages, sealer, job);
  host.jobs.kind<Wanted, MadePackage, unknown>({
    name: JOB,
    title: 'Package of evidence',
    oneAtATime: 'unit',
    run,
    resume: run,
  });
  makeRoute(host);
  listRoute(host, packages);
  downloadRoute(host, packages);
}

function makeRoute(host: Host): void {
  host.route<MakeEvidenceBody, unknown>({
    method: 'POST',
    path: '/{unit_id}/evidence',
    access: 'operator',
    operation: 'makeEvidence',
    summary: 'Make a signed package of levels and what belongs to them',
    description:
      'A job; its result has `id`, `href`, `sha256`, `bytes`, `stamped` and `not_stamped`. The signature is stamped by the server of the setting `timestamp_url`; where it cannot be, the package is made all the same, and says why. `audit` needs an admin: records of the audit log have addresses, and cannot be signed without them. At most 400 days. The last 50 packages of a unit are kept, and 50 GB of all units.',
    body: WANTED,
    answer: { message: { type: 'string' }, job: { type: 'string', description: 'Id of the job.' } },
    statuses: [202],
    errors: ['UNIT_NOT_FOUND', 'DEVICE_BUSY', 'STOPPING', 'STORAGE_FAILED', 'STORAGE_FULL'],
    async handle(request) {
      const { unitId } = request;
      const zone = host.configs.of(unitId).timezone;
      const span = spanOfBody(host, request.body);
      const wanted: Wanted = { span, zone, include: includeOf(request, span) };
      const { id } = await host.jobs.start(JOB, unitId, wanted);
      const message = `A package of evidence of ${unitId} is being made.`;
      return json({ message, job: String(id) }, { status: 202, location: `/_jobs/${id}` });
    },
  });
}

function spanOfBody({ clock }: Host, body: MakeEvidenceBody): Wanted['span'] {
  const span = spanOf(body);
  if (momentOf(body.to, '/to') > clock.now() + CLOCKS_MS)
    throw invalid([{ path: '/to', message: 'must not be in the future: what comes later cannot be signed now' }]);
  if (span.to - span.from > MOST_DAYS * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
  return span;
}

/** Sorted, so that the same wish gives the same package. Errors: FORBIDDEN, INVALID. */
function includeOf({ body, identity }: Request<MakeEvidenceBody>, { from, to }: Wanted['span']): readonly Kind[] {
  const isAdmin = identity.role === 'admin';
  if (body.include?.includes('audit') && !isAdmin)
    throw new GatewayError('FORBIDDEN', 'Only an admin may put records of the audit log into a package.');
  const hasReport = to - from <= REPORT_DAYS * DAY_MS;
  if (body.include?.includes('report') && !hasReport)
    throw invalid([{ path: '/include', message: `a report is about at most ${REPORT_DAYS} days` }]);
  const usual: Partial<Record<Kind, boolean>> = { audit: isAdmin, report: hasReport };
  return KIND_NAMES.filter((kind) => body.include?.includes(kind) ?? usual[kind] ?? true);
}

function listRoute(host: Host, packages: KeptPackages): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/{unit_id}/evidence',
    access: 'viewer',
    operation: 'listEvidence',
    summary: 'List the packages of a unit, the newest first',
    query: LIST_QUERY,
    answer: { data: { type: 'array', items: PACKAGE }, next: NEXT },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId, query: { limit, cursor } }) {
      host.configs.of(unitId);
      const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
      const all = packages.of(unitId).filter(({ id }) => Number(id) < before);
      const { page, next } = pageOf(all, limit, ({ id }) => id);
      return { data: page, next };
    },
  });
}

function downloadRoute(host: Host, packages: KeptPackages): void {
  host.route({
    method: 'GET',
    path: '/{unit_id}/evidence/{id}',
    params: PACKAGE_ID,
    access: 'viewer',
    operation: 'downloadEvidence',
    summary: 'Download a package as a ZIP',
    description: 'The ETag is its SHA-256. Takes Range. `slm verify` checks it.',
    answer: 'file',
    contentTypes: ['application/zip'],
    errors: ['UNIT_NOT_FOUND', 'FILE_NOT_FOUND'],
    handle({ unitId, params }) {
      host.configs.of(unitId);
      const found = packages.of(unitId).find(({ id }) => id === params.id);
      if (!found)
        throw new GatewayError(
          'FILE_NOT_FOUND',
          `There is no package ${params.id} of ${unitId}; GET evidence lists all.`,
        );
      const name = `${unitId}-evidence-${found.id}.zip`;
      const content = { name, size: found.bytes, contentType: 'application/zip' };
      return file({ ...content, bytes: (range) => packages.read(found, range) }, { etag: found.sha256 });
    },
  });
}

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
      const data = shownKey(await host.signing.present());
      return { data, retired: host.signing.retired().map(shownKey) };
    },
  });
}

const shownKey = ({ fingerprint, pem, since, retiredAt, reason }: GatewayKey) => ({
  fingerprint,
  pem,
  since: iso(since),
  retired_at: retiredAt === null ? null : iso(retiredAt),
  reason,
});
