/** Copies of the files of a card on this disk: fetched automatically or on demand, also available while the meter cannot be reached. */
import { createReadStream } from 'node:fs';
import {
  file,
  GatewayError,
  type Host,
  iso,
  type Job,
  json,
  NEXT,
  notSupported,
  type Plugin,
  pageOf,
  spanOf,
  stream,
  type ZipEntry,
  zipStream,
} from '../../lib/index.ts';
import { placeOf } from './places.ts';
import { MirrorRun, type MirrorSettings } from './run.ts';
import { scheduleRuns } from './schedule.ts';
import {
  ARCHIVE_QUERY,
  CONTENT_QUERY,
  FILE,
  HOUR,
  HOURS_QUERY,
  type HoursQuery,
  LIST_QUERY,
  type ListQuery,
  type PathQuery,
  SETTINGS,
  shown,
  shownHour,
} from './schemas.ts';
import { MirrorStore } from './store.ts';
import { CLOCKS, FILES, type FileRow, HOURS, MIGRATIONS, UNITS } from './tables.ts';

const KIND = 'mirror';
/** Bytes that are read at once: each piece passes several hands on its way out. */
const PIECE = 262_144;

const plugin: Plugin<MirrorSettings> = {
  name: 'mirror',
  about: 'Copies of the files of a card',
  settings: SETTINGS,
  async register(host) {
    const store = new MirrorStore(await host.tables([FILES, UNITS, CLOCKS, HOURS], MIGRATIONS));
    const folder = await host.folder();
    const run = (job: ConstructorParameters<typeof MirrorRun>[3]) => new MirrorRun(host, store, folder, job).run();
    host.jobs.kind({ name: KIND, title: 'Copy of the card', oneAtATime: 'unit', run, resume: run });
    const start = async (unitId: string) => (await host.jobs.startOnce(KIND, unitId, {})).job;
    scheduleRuns(host, store, start);
    host.on('clock', ({ unitId, data: { at, ahead, uncertainty } }) => {
      store
        .putClock({ unitId, at, offset: Math.round(ahead), uncertainty })
        .catch((error: unknown) =>
          host.log.warn({ unit_id: unitId, err: error }, 'a reading of a clock could not be stored'),
        );
    });
    addRun(host, start);
    addFiles(host, store, folder);
  },
};
export default plugin;

function addRun(host: Host<MirrorSettings>, start: (unitId: string) => Promise<Job>): void {
  host.route({
    method: 'POST',
    path: '/{unit_id}/mirror',
    access: 'operator',
    operation: 'mirrorFiles',
    summary: 'Fetch new files of the card now',
    description:
      'A job. If such a job waits or runs already, the answer names that job. Nothing on the card is changed.',
    answer: { message: { type: 'string' }, job: { type: 'string', description: 'Id of the job.' } },
    statuses: [202],
    errors: [
      'UNIT_NOT_FOUND',
      'FTP_DISABLED',
      'NOT_SUPPORTED',
      'DEVICE_BUSY',
      'STOPPING',
      'STORAGE_FAILED',
      'STORAGE_FULL',
    ],
    async handle({ unitId }) {
      if (!host.configs.of(unitId).ftpEnabled)
        throw new GatewayError(
          'FTP_DISABLED',
          `FTP is off in the config of ${unitId}: PUT /${unitId}/config with "ftp_enabled": true.`,
        );
      const family = host.families.get(host.configs.of(unitId).family);
      if (!family.card) throw notSupported(unitId, family, 'files');
      const { id } = await start(unitId);
      const message = `The files of ${unitId} are being fetched.`;
      return json({ message, job: String(id) }, { status: 202, location: `/_jobs/${id}` });
    },
  });
}

function addFiles(host: Host<MirrorSettings>, store: MirrorStore, folder: string): void {
  const cardOf = async (unitId: string, card: number | undefined) => card ?? (await store.unit(unitId)).card;
  const open = ({ unitId, card, path }: FileRow, range?: { readonly start: number; readonly end: number }) =>
    createReadStream(placeOf(folder, unitId, card, path).whole, { ...range, highWaterMark: PIECE });

  host.route<unknown, ListQuery>({
    method: 'GET',
    path: '/{unit_id}/files',
    access: 'viewer',
    summary: 'List the copied files',
    description: 'In the order of their paths. The meter is not asked.',
    query: LIST_QUERY,
    answer: { data: { type: 'array', items: FILE }, next: NEXT },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query: { card, limit, cursor } }) {
      host.configs.of(unitId);
      const rows = await store.page(unitId, await cardOf(unitId, card), cursor, limit + 1);
      const { page, next } = pageOf(rows, limit, ({ path }) => path);
      return { data: page.map(shown), next };
    },
  });

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
      const hours = await store.hours(unitId, first, Math.ceil(to / 1_000), query.limit + 1);
      const { page, next } = pageOf(hours, query.limit, ({ hour }) => hour);
      return { data: page.map(shownHour), next };
    },
  });

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
      const row = await store.file(placeOf(folder, unitId, await cardOf(unitId, query.card), query.path).id);
      if (!row || row.sha256 === null)
        throw new GatewayError('FILE_NOT_FOUND', 'There is no complete copy of this path; GET files lists all copies.');
      const name = row.path.split('/').at(-1) ?? '';
      return file({ name, size: row.kept, bytes: (range) => open(row, range) }, { etag: row.sha256 });
    },
  });

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
      const rows = await filesBelow(store, unitId, await cardOf(unitId, query.card), query.path);
      if (rows.length === 0 && query.path !== '/')
        throw new GatewayError(
          'FILE_NOT_FOUND',
          `There are no copies below ${query.path}; GET files lists all copies.`,
        );
      const entries = rows.map((row): ZipEntry => ({ path: row.path, size: row.kept, open: async () => open(row) }));
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
