/** The card of the meter over FTP: its folders, its files whole or in parts, folders as a ZIP. */
import {
  CARD_PATH,
  type CardCaller,
  type CardVisit,
  type FileEntry,
  type ZipEntry,
  zipStream,
} from '../../lib/built-in.ts';
import {
  CARD_ERRORS,
  type Caller,
  type Card,
  EXPORT_COST,
  file,
  GatewayError,
  type Host,
  named,
  releaseChunk,
  type Schema,
  stream,
} from '../../lib/index.ts';

const MOST_FILES = 100_000;
const MOST_FOLDERS = 2_000;
const DEEPEST = 16;

/** First all listings, then one file after another, with one login. Errors: those of listings; FTP_FAILED: too much. */
async function archiveOf(card: Card, path: string, caller: CardCaller) {
  const visit = card.visit(caller);
  const files = await filesBelow(visit, path);
  const folder = path.replace(/\/+$/, '');
  const entries = files.map(
    (entry): ZipEntry => ({
      path: entry.path.slice(folder.length),
      size: entry.size || undefined,
      modifiedAt: entry.modifiedAt === undefined ? undefined : Date.parse(`${entry.modifiedAt}Z`),
      open: async () => (await opened(visit, entry)).stream,
    }),
  );
  const name = `${folder.split('/').at(-1) || 'card'}.zip`;
  const zip = zipStream(entries);
  zip.once('close', () => void visit.close());
  return stream({ contentType: 'application/zip', stream: zip, name });
}

const opened = (visit: CardVisit, { path, size }: FileEntry) =>
  size === 0 ? visit.download(path) : visit.open(path, { from: 0, to: size });

async function filesBelow(visit: CardVisit, path: string): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  const waiting = [{ path, depth: 0 }];
  for (let folders = 0; ; folders += 1) {
    const next = waiting.shift();
    if (!next) return files;
    if (folders >= MOST_FOLDERS || files.length > MOST_FILES || next.depth > DEEPEST)
      throw new GatewayError('FTP_FAILED', `There is too much below ${path} for one ZIP; choose a smaller folder.`);
    for (const entry of await visit.list(next.path)) {
      if (entry.isDir) waiting.push({ path: entry.path, depth: next.depth + 1 });
      else files.push(entry);
    }
  }
}

const CARD_FILE: Schema = named(
  'CardFile',
  {
    name: { type: 'string' },
    path: { type: 'string', description: 'Full path on the card.' },
    size: { type: 'integer', minimum: 0, description: 'Bytes; 0 for a folder.' },
    modified: { type: 'string', description: '<Mon> <DD> <YYYY>, date of the meter.' },
    modified_at: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
      description: 'Time of the meter, no zone; only if the listing had a time.',
    },
    is_dir: { type: 'boolean' },
  },
  ['modified_at'],
);

export function cardRoutes(host: Host): void {
  listingRoute(host);
  downloadRoute(host);
  fileRoute(host);
  archiveRoute(host);
}

function listingRoute(host: Host): void {
  host.route<unknown, { path: string }>({
    method: 'GET',
    path: '/{unit_id}/ftp/files',
    access: 'viewer',
    summary: 'List a folder on the card of the meter',
    query: { path: { ...CARD_PATH, default: '/' } },
    answer: {
      path: { type: 'string' },
      count: { type: 'integer', minimum: 0 },
      files: { type: 'array', items: CARD_FILE },
    },
    errors: CARD_ERRORS,
    async handle({ unitId, query: { path }, caller }) {
      const files = (await host.card(unitId).list(path, onCard(caller))).map(shown);
      return { path, count: files.length, files };
    },
  });
}

function downloadRoute(host: Host): void {
  host.route<{ remote_path: string }, unknown>({
    method: 'POST',
    path: '/{unit_id}/ftp/download',
    operation: 'downloadFile',
    access: 'viewer',
    summary: 'Download a file from the card of the meter',
    description:
      'Streamed. If the transfer breaks off, the response breaks off, too: an incomplete file never looks complete.',
    body: {
      type: 'object',
      required: ['remote_path'],
      additionalProperties: false,
      properties: { remote_path: CARD_PATH },
    },
    answer: 'file',
    errors: CARD_ERRORS,
    async handle({ unitId, body, caller, identity }) {
      const card = host.card(unitId);
      const { name, size, stream } = await card.download(body.remote_path, onCard(caller));
      host.publish(unitId, 'file', { path: body.remote_path, size, by: identity.name });
      return file({ name, size, bytes: stream, release: releaseChunk });
    },
  });
}

function fileRoute(host: Host): void {
  host.route<unknown, { path: string }>({
    method: 'GET',
    path: '/{unit_id}/ftp/file',
    access: 'viewer',
    summary: 'Download a file, or a part of it',
    description:
      'With an ETag of size and time, and with Range (one range). If the meter can, it begins at the first byte of the range; if not, the bytes before are read and dropped.',
    query: { path: { ...CARD_PATH, required: true } },
    answer: 'file',
    errors: CARD_ERRORS,
    async handle({ unitId, query: { path }, caller, identity }) {
      // The listing, the file and nothing in between: one session.
      const visit = host.card(unitId).visit(onCard(caller));
      const entry = await visit.find(path);
      if (entry.isDir) throw new GatewayError('FILE_NOT_FOUND', `The path ${entry.path} is a folder, not a file.`);
      // A file that is listed with 0 bytes may still be written: it is read to its end, and has no ranges.
      const publishFetched = (size: number | undefined) =>
        host.publish(unitId, 'file', { path, size, by: identity.name });
      if (entry.size === 0) {
        const { name, size, stream } = await visit.download(path);
        void visit.close();
        publishFetched(size);
        return file({ name, size, bytes: stream, release: releaseChunk });
      }
      const bytes = async ({ start, end } = { start: 0, end: entry.size - 1 }) => {
        const { stream } = await visit.open(path, { from: start, to: end + 1 });
        // After the last byte.
        void visit.close();
        publishFetched(end + 1 - start);
        return stream;
      };
      return file({ name: entry.name, size: entry.size, bytes, release: releaseChunk }, { etag: etagOf(entry) });
    },
  });
}

function archiveRoute(host: Host): void {
  host.route<unknown, { path: string }>({
    method: 'GET',
    path: '/{unit_id}/ftp/archive',
    access: 'viewer',
    summary: 'Download a folder with everything in it, as a ZIP',
    description:
      'Made while it is sent. If a file breaks off, the ZIP breaks off, too: an incomplete ZIP never looks complete.',
    query: { path: { ...CARD_PATH, default: '/' } },
    answer: 'file',
    contentTypes: ['application/zip'],
    errors: CARD_ERRORS,
    cost: () => EXPORT_COST,
    handle: ({ unitId, query: { path }, caller }) => archiveOf(host.card(unitId), path, onCard(caller)),
  });
}

/** The deadline of a request is not that of a file, which takes as long as it needs. */
const onCard = ({ signal, who }: Caller): CardCaller => ({ signal, who });

const etagOf = ({ size, modified, modifiedAt }: FileEntry): string =>
  `${size}-${(modifiedAt ?? modified).replaceAll(/[^0-9A-Za-z]/g, '')}`;

const shown = ({ modifiedAt, isDir, ...entry }: FileEntry) => ({
  ...entry,
  ...(modifiedAt && { modified_at: modifiedAt }),
  is_dir: isDir,
});
