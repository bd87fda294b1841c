/**
 * The FTP server of the meter: switched on and off over its control port, and its card, listed and downloaded over FTP.
 * The two permissions are apart: `tcp_enabled` for the switch, `ftp_enabled` for the files.
 */
import { CARD_ERRORS, COMMAND_ERRORS, type FileEntry, file, nl43, type Plugin, type Schema } from '../lib/index.ts';

/** Absolute, no segment `..`, no control character: it becomes part of a line on the FTP control connection. */
const PATH: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 1_024,
  pattern: '^/(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'an absolute path on the card of the meter, without `..` and control characters',
};

const ENTRY: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    path: { type: 'string', description: 'Full path on the card.' },
    size: { type: 'integer', minimum: 0, description: 'Bytes; 0 for a folder.' },
    modified: { type: 'string', description: '<Mon> <DD> <YYYY>, date of the meter.' },
    modified_at: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
      description: 'Time of the meter, no zone; only where the listing had one.',
    },
    is_dir: { type: 'boolean' },
  },
  required: ['name', 'path', 'size', 'modified', 'is_dir'],
  additionalProperties: false,
};

const plugin: Plugin = {
  name: 'ftp',
  register(host) {
    host.route({
      method: 'POST',
      path: '/{unit_id}/ftp/enable',
      access: 'operator',
      summary: 'Switch the FTP server of the meter on',
      answer: { message: { type: 'string' } },
      errors: COMMAND_ERRORS,
      async handle({ unitId, caller }) {
        await host.meter(unitId).run(nl43.setFtp(true), caller);
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
        await host.meter(unitId).run(nl43.setFtp(false), caller);
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
        const status = await host.meter(unitId).run(nl43.ftp(), caller);
        return { ftp_status: status, ftp_enabled: status === 'On' };
      },
    });

    host.route<unknown, { path: string }>({
      method: 'GET',
      path: '/{unit_id}/ftp/files',
      access: 'viewer',
      summary: 'List a folder on the card of the meter',
      query: { path: { ...PATH, default: '/' } },
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
      access: 'viewer',
      summary: 'Download a file from the card of the meter',
      description:
        'Streamed. A transfer that breaks midway breaks the response: it never ends as if the file were whole.',
      body: {
        type: 'object',
        required: ['remote_path'],
        additionalProperties: false,
        properties: { remote_path: PATH },
      },
      answer: 'file',
      errors: CARD_ERRORS,
      async handle({ unitId, body, caller }) {
        const { name, size, stream } = await host.card(unitId).download(body.remote_path, caller.signal);
        return file({ name, size, bytes: stream });
      },
    });
  },
};
export default plugin;

const shown = (entry: FileEntry) => ({
  name: entry.name,
  path: entry.path,
  size: entry.size,
  modified: entry.modified,
  ...(entry.modifiedAt && { modified_at: entry.modifiedAt }),
  is_dir: entry.isDir,
});
