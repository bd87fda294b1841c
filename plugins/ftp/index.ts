/**
 * The FTP server of the meter: switched on and off over its control port, and its card, listed and downloaded over FTP.
 * The two permissions are apart: `tcp_enabled` for the switch, `ftp_enabled` for the files.
 */
import {
  CARD_ERRORS,
  CARD_PATH,
  COMMAND_ERRORS,
  type FileEntry,
  file,
  GatewayError,
  type Plugin,
} from '../../lib/index.ts';
import { archiveOf } from './archive.ts';
import { ENTRY } from './schemas.ts';

const plugin: Plugin = {
  name: 'ftp',
  about: 'The card of a meter',
  register(host) {
    host.route({
      method: 'POST',
      path: '/{unit_id}/ftp/enable',
      access: 'operator',
      summary: 'Switch the FTP server of the meter on',
      answer: { message: { type: 'string' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        await host.meter(unitId).perform('setFileServer', caller, true);
        return { message: 'The FTP server of the meter is on; it may take seconds until it accepts a login.' };
      },
    });

    host.route({
      method: 'POST',
      path: '/{unit_id}/ftp/disable',
      access: 'operator',
      summary: 'Switch the FTP server of the meter off',
      answer: { message: { type: 'string' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        await host.meter(unitId).perform('setFileServer', caller, false);
        return { message: 'The FTP server of the meter is off.' };
      },
    });

    host.route({
      method: 'GET',
      path: '/{unit_id}/ftp/status',
      access: 'viewer',
      summary: 'Read whether the FTP server of the meter is on',
      answer: { ftp_status: { type: 'string', enum: ['On', 'Off'] }, ftp_enabled: { type: 'boolean' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        const isOn = await host.meter(unitId).perform('fileServer', caller);
        return { ftp_status: isOn ? 'On' : 'Off', ftp_enabled: isOn };
      },
    });

    host.route<unknown, { path: string }>({
      method: 'GET',
      path: '/{unit_id}/ftp/files',
      access: 'viewer',
      summary: 'List a folder on the card of the meter',
      query: { path: { ...CARD_PATH, default: '/' } },
      answer: {
        path: { type: 'string' },
        count: { type: 'integer', minimum: 0 },
        files: { type: 'array', items: ENTRY },
      },
      errors: CARD_ERRORS,
      async handle({ unitId, query: { path }, caller }) {
        const files = (await host.card(unitId).list(path, caller.signal)).map(shown);
        return { path, count: files.length, files };
      },
    });

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
        const { name, size, stream } = await card.download(body.remote_path, caller.signal);
        host.publish(unitId, 'file', { path: body.remote_path, size, by: identity.name });
        return file({ name, size, bytes: stream, release: card.release });
      },
    });

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
        const visit = host.card(unitId).visit({ signal: caller.signal });
        const entry = await visit.find(path);
        if (entry.isDir) throw new GatewayError('FILE_NOT_FOUND', `The path ${entry.path} is a folder, not a file.`);
        // A file that is listed with 0 bytes may still be written: it is read to its end, and has no ranges.
        const told = (size: number | undefined) => host.publish(unitId, 'file', { path, size, by: identity.name });
        if (entry.size === 0) {
          const { name, size, stream } = await visit.download(path);
          void visit.close();
          told(size);
          return file({ name, size, bytes: stream, release: visit.release });
        }
        const bytes = async ({ start, end } = { start: 0, end: entry.size - 1 }) => {
          const { stream } = await visit.open(path, { from: start, to: end + 1 });
          // After the last byte.
          void visit.close();
          told(end + 1 - start);
          return stream;
        };
        return file({ name: entry.name, size: entry.size, bytes, release: visit.release }, { etag: etagOf(entry) });
      },
    });

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
      handle: ({ unitId, query: { path }, caller }) => archiveOf(host.card(unitId), path, caller.signal),
    });
  },
};
export default plugin;

const etagOf = ({ size, modified, modifiedAt }: FileEntry): string =>
  `${size}-${(modifiedAt ?? modified).replaceAll(/[^0-9A-Za-z]/g, '')}`;

const shown = (entry: FileEntry) => ({
  name: entry.name,
  path: entry.path,
  size: entry.size,
  modified: entry.modified,
  ...(entry.modifiedAt && { modified_at: entry.modifiedAt }),
  is_dir: entry.isDir,
});
