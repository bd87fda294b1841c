/** Packages by the API: asked for, listed, downloaded. */
import {
  file,
  GatewayError,
  type Host,
  invalid,
  json,
  momentOf,
  NEXT,
  type PageQuery,
  pageOf,
  type Request,
  spanOf,
} from '../../lib/index.ts';
import { KIND_NAMES, type Kind } from './gathering.ts';
import { type MadePackage, makePackage, type Wanted } from './making.ts';
import { LIST_QUERY, PACKAGE, PACKAGE_ID, WANTED, type WantedBody } from './schemas.ts';
import type { EvidenceSettings } from './settings.ts';
import type { Shelf } from './shelf.ts';

const JOB = 'evidence';
/** The longest span of a package, days. */
export const MOST_DAYS = 400;
/** The longest span of a report, days. */
const REPORT_DAYS = 370;
const DAY_MS = 86_400_000;
/** The clocks of two computers may differ by so much: what is later than that is in the future, ms. */
const CLOCKS_MS = 60_000;

/** POST and GET `/{unit_id}/evidence`, GET `/{unit_id}/evidence/{id}`. */
export function packageRoutes(host: Host<EvidenceSettings>, shelf: Shelf): void {
  const run = (job: Parameters<typeof makePackage>[2]) => makePackage(host, shelf, job);
  host.jobs.kind<Wanted, MadePackage, unknown>({
    ...{ name: JOB, title: 'Package of evidence', oneAtATime: 'unit', run, resume: run },
  });
  makeRoute(host);
  listRoute(host, shelf);
  downloadRoute(host, shelf);
}

function makeRoute(host: Host): void {
  host.route<WantedBody, unknown>({
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

/** Errors: INVALID. */
function spanOfBody({ clock }: Host, body: WantedBody): Wanted['span'] {
  const span = spanOf(body);
  if (momentOf(body.to, '/to') > clock.now() + CLOCKS_MS)
    throw invalid([{ path: '/to', message: 'must not be in the future: what comes later cannot be signed now' }]);
  if (span.to - span.from > MOST_DAYS * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
  return span;
}

/** Sorted, so that the same wish gives the same package. Errors: FORBIDDEN, INVALID. */
function includeOf({ body, identity }: Request<WantedBody>, { from, to }: Wanted['span']): readonly Kind[] {
  const isAdmin = identity.role === 'admin';
  if (body.include?.includes('audit') && !isAdmin)
    throw new GatewayError('FORBIDDEN', 'Only an admin may put records of the audit log into a package.');
  const hasReport = to - from <= REPORT_DAYS * DAY_MS;
  if (body.include?.includes('report') && !hasReport)
    throw invalid([{ path: '/include', message: `a report is about at most ${REPORT_DAYS} days` }]);
  const usual: Partial<Record<Kind, boolean>> = { audit: isAdmin, report: hasReport };
  return KIND_NAMES.filter((kind) => body.include?.includes(kind) ?? usual[kind] ?? true);
}

function listRoute(host: Host, shelf: Shelf): void {
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
      const all = shelf.of(unitId).filter(({ id }) => Number(id) < before);
      const { page, next } = pageOf(all, limit, ({ id }) => id);
      return { data: page, next };
    },
  });
}

function downloadRoute(host: Host, shelf: Shelf): void {
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
      const found = shelf.of(unitId).find(({ id }) => id === params.id);
      if (!found)
        throw new GatewayError(
          'FILE_NOT_FOUND',
          `There is no package ${params.id} of ${unitId}; GET evidence lists all.`,
        );
      const name = `${unitId}-evidence-${found.id}.zip`;
      const content = { name, size: found.bytes, contentType: 'application/zip' };
      return file({ ...content, bytes: (range) => shelf.read(found, range) }, { etag: found.sha256 });
    },
  });
}
