/** The copies of the files of a card, for readers: their list, the comparison of their levels, each file, a folder as a ZIP. */
import { createReadStream } from 'node:fs';
import { CARD_PATH, NEXT, pageOf, type ZipEntry, zipStream } from '../../lib/built-in.ts';
import { EXPORT_COST, file, GatewayError, type Host, iso, spanOf, stream } from '../../lib/index.ts';
import { type Copy, copyPlaceOf, pathOfCopy } from './places.ts';
import {
  ARCHIVE_QUERY,
  CLOCK_READING,
  CONTENT_QUERY,
  COPY_LIST_QUERY,
  type ContentQuery,
  type CopyListQuery,
  FILE,
  HOUR,
  HOURS_QUERY,
  type HoursQuery,
  KEPT_VERSION,
  oldVersion,
  type PathQuery,
  presentVersion,
  shown,
  shownClock,
  shownFile,
  shownHour,
} from './schemas.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow } from './tables.ts';

/** Bytes that are read at once: each part passes several steps on its way out. */
const PIECE = 262_144;

interface Copies {
  readonly store: MirrorStore;
  readonly folder: string;
}

/** The routes below `/{unit_id}/files`. None of them asks the meter. */
export function fileRoutes(host: Host, copies: Copies): void {
  listRoute(host, copies);
  versionsRoute(host, copies);
  reconciliationRoute(host, copies);
  contentRoute(host, copies);
  archiveRoute(host, copies);
  clockRoute(host, copies);
}

const cardOf = async ({ store }: Copies, unitId: string, card: number | undefined) =>
  card ?? (await store.unit(unitId)).card;

const open = ({ folder }: Copies, copy: Copy, range?: { readonly start: number; readonly end: number }) =>
  createReadStream(pathOfCopy(folder, copy), { ...range, highWaterMark: PIECE });

function listRoute(host: Host, copies: Copies): void {
  host.route<unknown, CopyListQuery>({
    method: 'GET',
    path: '/{unit_id}/files',
    access: 'viewer',
    summary: 'List the copied files',
    description: 'In the order of their paths. The meter is not asked.',
    query: COPY_LIST_QUERY,
    answer: { data: { type: 'array', items: FILE }, next: NEXT },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query: { card, limit, cursor } }) {
      host.configs.of(unitId);
      const rows = await copies.store.page(unitId, await cardOf(copies, unitId, card), cursor, limit + 1);
      const { page, next } = pageOf(rows, limit, ({ path }) => path);
      const replaced = await copies.store.countVersions(page.map(({ id }) => id));
      return { data: page.map((row) => shownFile(row, replaced.get(row.id) ?? 0)), next };
    },
  });
}

function versionsRoute(host: Host, { store }: Copies): void {
  host.route<unknown, { readonly path: string }>({
    method: 'GET',
    path: '/{unit_id}/files/versions',
    access: 'viewer',
    operation: 'listFileVersions',
    summary: 'List all copies of a path: of each card, and replaced copies',
    description:
      'The last copy of each card first, beginning with the present card; then replaced copies, the newest first. GET files/content takes the `sha256` of each.',
    query: { path: { ...CARD_PATH, required: true } },
    answer: { data: { type: 'array', items: KEPT_VERSION } },
    errors: ['UNIT_NOT_FOUND', 'FILE_NOT_FOUND'],
    async handle({ unitId, query: { path } }) {
      host.configs.of(unitId);
      const { files, replaced } = await store.versions(unitId, path);
      const data = [...files.filter(({ sha256 }) => sha256 !== null).map(presentVersion), ...replaced.map(oldVersion)];
      if (data.length === 0) throw noCopy();
      return { data };
    },
  });
}

function reconciliationRoute(host: Host, copies: Copies): void {
  host.route<unknown, HoursQuery>({
    method: 'GET',
    path: '/{unit_id}/files/reconciliation',
    access: 'viewer',
    summary: 'Compare the levels of the card with those of the stream, hour by hour',
    query: HOURS_QUERY,
    answer: { data: { type: 'array', items: HOUR }, next: NEXT },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const { from, to } = spanOf(query);
      const first = query.cursor === undefined ? Math.floor(from / 3_600_000) * 3_600 : Number(query.cursor) + 1;
      const hours = await copies.store.hours(unitId, first, Math.ceil(to / 1_000), query.limit + 1);
      const { page, next } = pageOf(hours, query.limit, ({ hour }) => hour);
      return { data: page.map(shownHour), next };
    },
  });
}

function clockRoute(host: Host, { store }: Copies): void {
  host.route<unknown, HoursQuery>({
    method: 'GET',
    path: '/{unit_id}/clock/readings',
    access: 'viewer',
    operation: 'listClockReadings',
    summary: 'List the comparisons of the clock of the meter, the oldest first',
    description: 'Differences to the clock of the gateway. The meter is not asked.',
    query: HOURS_QUERY,
    answer: { data: { type: 'array', items: CLOCK_READING }, next: NEXT },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const { from, to } = spanOf(query);
      const after = Math.max(from - 1, query.cursor === undefined ? 0 : Number(query.cursor));
      const found = await store.clocksWithin(unitId, after, to, query.limit + 1);
      const { page, next } = pageOf(found, query.limit, ({ at }) => at);
      return { data: page.map(shownClock), next };
    },
  });
}

function contentRoute(host: Host, copies: Copies): void {
  host.route<unknown, ContentQuery>({
    method: 'GET',
    path: '/{unit_id}/files/content',
    access: 'viewer',
    summary: 'Download the copy of a file',
    description:
      'The last complete copy, also while the meter cannot be reached; with `sha256` the copy with these bytes, of any card, unless `card` is given. The ETag is its SHA-256. Takes Range.',
    query: CONTENT_QUERY,
    answer: 'file',
    errors: ['UNIT_NOT_FOUND', 'FILE_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const { path, card, sha256 } = query;
      const { store, folder } = copies;
      const copy =
        sha256 === undefined
          ? await store.file(copyPlaceOf(folder, unitId, await cardOf(copies, unitId, card), path).id)
          : await store.copyOf(unitId, path, sha256, card);
      if (!copy || copy.sha256 === null) throw noCopy();
      const size = 'kept' in copy ? copy.kept : copy.size;
      const name = path.split('/').at(-1) ?? '';
      return file({ name, size, bytes: (range) => open(copies, copy, range) }, { etag: copy.sha256 });
    },
  });
}

function archiveRoute(host: Host, copies: Copies): void {
  host.route<unknown, PathQuery>({
    method: 'GET',
    path: '/{unit_id}/files/archive',
    access: 'viewer',
    summary: 'Download the copied files as a ZIP',
    description: 'With a manifest.json that names each file, its path on the card and its SHA-256.',
    query: ARCHIVE_QUERY,
    answer: 'file',
    contentTypes: ['application/zip'],
    errors: ['UNIT_NOT_FOUND', 'FILE_NOT_FOUND'],
    cost: () => EXPORT_COST,
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const rows = await filesBelow(copies.store, unitId, await cardOf(copies, unitId, query.card), query.path);
      if (rows.length === 0 && query.path !== '/')
        throw new GatewayError(
          'FILE_NOT_FOUND',
          `There are no copies below ${query.path}; GET files lists all copies.`,
        );
      const entries = rows.map(
        (row): ZipEntry => ({ path: row.path, size: row.kept, open: async () => open(copies, row) }),
      );
      const manifest = (nameOf: (path: string) => string) =>
        JSON.stringify({
          unit_id: unitId,
          made_at: iso(host.clock.now()),
          files: rows.map((row) => ({ name: nameOf(row.path), ...shown(row), size: row.kept })),
        });
      return stream({
        contentType: 'application/zip',
        stream: zipStream(entries, { manifest }),
        name: `${unitId}.zip`,
      });
    },
  });
}

const noCopy = () =>
  new GatewayError('FILE_NOT_FOUND', 'There is no complete copy of this path; GET files lists all copies.');

async function filesBelow(store: MirrorStore, unitId: string, card: number, path: string): Promise<FileRow[]> {
  const below = `${path.replace(/\/+$/, '')}/`;
  const rows: FileRow[] = [];
  for await (const page of store.all(unitId, card))
    rows.push(...page.filter((row) => row.sha256 !== null && row.path.startsWith(below)));
  return rows.sort((a, b) => (a.path < b.path ? -1 : 1));
}
