/** The copies of the files of a card, for readers: their list, their levels beside those of the stream, each file, a folder as a ZIP. */
import { createReadStream } from 'node:fs';
import {
  file,
  GatewayError,
  type Host,
  iso,
  NEXT,
  pageOf,
  spanOf,
  stream,
  type ZipEntry,
  zipStream,
} from '../../lib/index.ts';
import { copyPlaceOf } from './places.ts';
import {
  ARCHIVE_QUERY,
  CONTENT_QUERY,
  COPY_LIST_QUERY,
  type CopyListQuery,
  FILE,
  HOUR,
  HOURS_QUERY,
  type HoursQuery,
  type PathQuery,
  shown,
  shownHour,
} from './schemas.ts';
import type { MirrorStore } from './store.ts';
import type { FileRow } from './tables.ts';

/** Bytes that are read at once: each piece passes several hands on its way out. */
const PIECE = 262_144;

/** What the routes read: the table of the copies and, below `folder`, the copies themselves. */
interface Copies {
  readonly store: MirrorStore;
  readonly folder: string;
}

/** The routes below `/{unit_id}/files`. None of them asks the meter. */
export function fileRoutes(host: Host, copies: Copies): void {
  listRoute(host, copies);
  reconciliationRoute(host, copies);
  contentRoute(host, copies);
  archiveRoute(host, copies);
}

/** The one asked for, else the card that the unit has now. */
const cardOf = async ({ store }: Copies, unitId: string, card: number | undefined) =>
  card ?? (await store.unit(unitId)).card;

const open = (
  { folder }: Copies,
  { unitId, card, path }: FileRow,
  range?: { readonly start: number; readonly end: number },
) => createReadStream(copyPlaceOf(folder, unitId, card, path).whole, { ...range, highWaterMark: PIECE });

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
      return { data: page.map(shown), next };
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

function contentRoute(host: Host, copies: Copies): void {
  host.route<unknown, PathQuery>({
    method: 'GET',
    path: '/{unit_id}/files/content',
    access: 'viewer',
    summary: 'Download the copy of a file',
    description:
      'The last complete copy, also while the meter cannot be reached. The ETag is its SHA-256. Takes Range.',
    query: CONTENT_QUERY,
    answer: 'file',
    errors: ['UNIT_NOT_FOUND', 'FILE_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const row = await copies.store.file(
        copyPlaceOf(copies.folder, unitId, await cardOf(copies, unitId, query.card), query.path).id,
      );
      if (!row || row.sha256 === null)
        throw new GatewayError('FILE_NOT_FOUND', 'There is no complete copy of this path; GET files lists all copies.');
      const name = row.path.split('/').at(-1) ?? '';
      return file({ name, size: row.kept, bytes: (range) => open(copies, row, range) }, { etag: row.sha256 });
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

async function filesBelow(store: MirrorStore, unitId: string, card: number, path: string): Promise<FileRow[]> {
  const below = `${path.replace(/\/+$/, '')}/`;
  const rows: FileRow[] = [];
  for await (const page of store.all(unitId, card))
    rows.push(...page.filter((row) => row.sha256 !== null && row.path.startsWith(below)));
  return rows.sort((a, b) => (a.path < b.path ? -1 : 1));
}
