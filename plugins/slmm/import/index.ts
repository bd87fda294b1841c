/**
 * Takes over the database of SLMM: units, rules, events and levels. The file is read and checked as a whole before anything is
 * written. Every step can be repeated: existing data is not added twice, so an import that broke off can be sent again.
 */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Host, Request, Schema, Tables, Weighting } from '../../../lib/index.ts';
import { gatewayOf, type SlmmGateway, type SlmmSettings, type SlmmValues } from '../route.ts';
import { SlmmDatabase } from './database.ts';
import { type Plan, planOf } from './plan.ts';
import { Writer } from './writer.ts';

const MB = 1_000_000;
const LIMIT_MB = 500;

const COUNT: Schema = { type: 'integer', minimum: 0 };
const LINES: Schema = { type: 'array', items: { type: 'string' } };
const counts = { units: COUNT, rules: COUNT, events: COUNT, readings: COUNT };
const DATA: Schema = {
  type: 'object',
  properties: {
    taken: { type: 'object', properties: counts, required: Object.keys(counts), additionalProperties: false },
    mended: { ...LINES, description: 'What was wrong in the database and is corrected here.' },
    left: { ...LINES, description: 'What was left out, and why.' },
  },
  required: ['taken', 'mended', 'left'],
  additionalProperties: false,
};

interface Query {
  readonly check: boolean;
  readonly frequency_weighting: Weighting['frequency'];
  readonly time_weighting: Weighting['time'];
}

/** The route that takes the file. */
export function addImport(host: Host<SlmmSettings>, tables: Tables): void {
  let number = 0;
  host.route<SlmmValues, Query>({
    method: 'POST',
    path: '/_import/slmm',
    operation: 'importSlmm',
    access: 'admin',
    summary: 'Take over the database of SLMM',
    description:
      'The file slmm.db: units, rules, events and levels. If it is sent again, only missing data is added. With check nothing is written, and the answer says what would be taken over.',
    query: {
      check: { type: 'boolean', default: false, description: 'Only check: nothing is written.' },
      frequency_weighting: {
        type: 'string',
        enum: ['A', 'C', 'Z'],
        default: 'A',
        description: 'SLMM does not store it.',
      },
      time_weighting: { type: 'string', enum: ['F', 'S', 'I'], default: 'F' },
    },
    upload: { contentType: 'application/vnd.sqlite3', limit: LIMIT_MB * MB },
    answer: { message: { type: 'string' }, data: DATA },
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle(request) {
      number += 1;
      const path = `${await host.folder()}/import-${number}.db`;
      try {
        await pipeline(Readable.from(request.upload), createWriteStream(path, { mode: 0o600 }));
        const database = new SlmmDatabase(path);
        const { readStoredLine } = host.families.get(host.configs.defaults.family);
        const plan = await planOf(database, readStoredLine, request.caller.signal).finally(() => database.close());
        return await answer(plan, request, gatewayOf(host), tables);
      } finally {
        for (const end of ['', '-journal', '-wal', '-shm']) await rm(path + end, { force: true });
      }
    },
  });
}

async function answer(
  plan: Plan,
  request: Request<SlmmValues, Query>,
  gateway: SlmmGateway,
  tables: Tables,
): Promise<object> {
  const { check, frequency_weighting: frequency, time_weighting: time } = request.query;
  const writer = new Writer(gateway, request as unknown as Request<SlmmValues, SlmmValues>, tables, plan, check);
  const units = await writer.units();
  const rules = await writer.rules();
  const events = await writer.events();
  const readings = await writer.readings({ frequency, time });
  const taken = { units, rules, events, readings };
  const words = `${units} units, ${rules} rules, ${events} events and ${readings} readings ${check ? 'would be' : 'were'} taken over.`;
  return { message: words, data: { taken, mended: plan.mended.list(), left: plan.left.list() } };
}
