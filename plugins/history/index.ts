/** Records the levels of the meters, as their configs say. Shows rows of any step, the present recording, and gaps. */
import {
  ASKED_CHANNEL,
  countOf,
  invalid,
  longestPause,
  METER_FIELDS,
  momentOf,
  refuseChannel,
  tables,
} from '../../lib/built-in.ts';
import { type DeviceConfig, daysIn, type Host, iso, type Plugin, SPAN } from '../../lib/index.ts';
import notes from '../notes/index.ts';
import { addDays, addLines } from './days.ts';
import { createImports, GIVEN } from './import-csv.ts';
import { answerLevels } from './levels.ts';
import {
  EXTENT,
  HISTORY_SETTINGS,
  type HistorySettings,
  IMPORT_QUERY,
  type ImportQuery,
  LEFT_OUT,
  LEVELS,
  LEVELS_QUERY,
  type LevelsQuery,
} from './schemas.ts';
import { addStatedWeighting } from './stated-weighting.ts';
import { UnitRecording } from './unit-recording.ts';

const MB = 1_000_000;
/** The request reads the sums of all hours: as much work as a month of rows, for some years of them. In days. */
const EXTENT_COST = 30;

const plugin: Plugin<HistorySettings> = {
  name: 'history',
  about: 'Recorded levels',
  uses: ['notes'],
  settings: HISTORY_SETTINGS,
  register(given) {
    const host = { ...given, notes: given.use(notes) };
    const recordings = startRecordings(host);
    for (const add of [addLines, addDays, addStatedWeighting]) add(host);

    host.route<unknown, LevelsQuery>({
      method: 'GET',
      path: '/{unit_id}/history',
      access: 'viewer',
      summary: 'Show the levels that were recorded',
      description:
        'Rows of one length over a span, also those without data. Means are only over the time with data; coverage says how much that is.',
      query: LEVELS_QUERY,
      answer: { data: LEVELS },
      contentTypes: ['text/csv', tables.XLSX_TYPE],
      etag: true,
      errors: ['UNIT_NOT_FOUND'],
      cost: ({ query }) => daysIn(query),
      handle: (request) => answerLevels(host, request),
    });

    addExtent(host, recordings);

    host.route<unknown, ImportQuery>({
      method: 'POST',
      path: '/{unit_id}/history/import',
      access: 'admin',
      summary: 'Import levels from CSV',
      description: `A header line with start (a full second with its offset; or local_time and utc_offset, as GET history writes them), duration_s, leq and any of ${GIVEN.join(', ')}, l01 to l99; also the CSV of GET history. All rows or none: errors name the lines. A row with a coverage lasts as long as its data. Rows that overlap earlier imported rows are refused, and so is a file with crossed columns. A row with an impossible level is left out.`,
      query: IMPORT_QUERY,
      upload: { contentType: 'text/csv', limit: host.settings.import_mb * MB },
      answer: {
        message: { type: 'string' },
        job: { type: 'string', description: 'Id of the job, which has ended.' },
        left_out: LEFT_OUT,
      },
      statuses: [202],
      errors: ['UNIT_NOT_FOUND', 'DEVICE_BUSY', 'STORAGE_FULL', 'STORAGE_FAILED', 'STOPPING'],
      handle: createImports(host),
    });

    host.route<unknown, { readonly from: string; readonly to: string }>({
      method: 'DELETE',
      path: '/{unit_id}/history',
      access: 'admin',
      summary: 'Remove the levels of a span, for good',
      description:
        'Of all sources. Both times are full minutes; an imported interval that reaches into the span is removed as a whole.',
      query: SPAN,
      answer: {
        message: { type: 'string' },
        removed_s: { type: 'number', description: 'Seconds with data that were removed.' },
      },
      errors: ['UNIT_NOT_FOUND'],
      async handle({ unitId, query, caller }) {
        host.configs.of(unitId);
        const [from, to] = [minuteOf(query.from, '/from'), minuteOf(query.to, '/to')];
        const removed = await host.history.remove(unitId, from, to, caller.signal);
        const span = `${tables.utc(from)} to ${tables.utc(to)}`;
        return { message: `The history of ${unitId} from ${span} is removed.`, removed_s: removed };
      },
    });
  },
};
export default plugin;

function addExtent(host: Host, recordings: ReadonlyMap<string, UnitRecording>): void {
  host.route<unknown, { readonly channel?: string }>({
    method: 'GET',
    path: '/{unit_id}/history/extent',
    access: 'viewer',
    summary: 'Show the recorded levels of a meter, and the gaps',
    query: { channel: { ...ASKED_CHANNEL, description: 'Only of this channel. Default: of all.' } },
    answer: { data: EXTENT },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    cost: () => EXTENT_COST,
    handle: async ({ unitId, query: { channel }, caller }) => {
      const config = host.configs.of(unitId);
      if (channel) refuseChannel(channel, host.families.find(config.family), '/channel');
      const asked = { gapSeconds: longestPause(config), ...(channel && { channel }) };
      return { data: await extentOf(host, config, recordings.get(unitId), asked, caller.signal) };
    },
  });
}

const RECORDING_FIELDS = [...METER_FIELDS, 'tcpEnabled', 'history', 'historyChannels'] as const;

function startRecordings(host: Host): ReadonlyMap<string, UnitRecording> {
  const recordings = new Map<string, UnitRecording>();
  host.configs.onChange((unitId, config) => {
    const recording = recordings.get(unitId);
    if (!config) {
      recording?.stop();
      recordings.delete(unitId);
    } else if (recording) recording.follow(config);
    else recordings.set(unitId, new UnitRecording(config, host));
  }, RECORDING_FIELDS);
  for (const config of host.configs.list()) recordings.set(config.unitId, new UnitRecording(config, host));
  host.on('state', (event) => recordings.get(event.unitId)?.state(event));
  host.on('reachability', ({ unitId, data }) => {
    if (data.reachability.streamRefusal === null) recordings.get(unitId)?.mayStream();
  });
  host.on('exchange', ({ unitId }) => recordings.get(unitId)?.exchange());
  // The caller that asked for the reading gets its answer first.
  host.on('reading', (event) => recordings.get(event.unitId)?.reading(event), { later: true });
  host.part('recording', () => refusals(host, recordings));
  const unheard = host.history.onState(({ state, reason }) => {
    for (const [unitId, { report }] of recordings)
      if (report.state !== 'off') host.publish(unitId, 'recording', { state, reason });
  });
  host.onStop(() => {
    unheard();
    for (const recording of recordings.values()) recording.stop();
  });
  return recordings;
}

/** Everybody may see this, so it has the number of meters, not their names. */
function refusals(host: Host, recordings: ReadonlyMap<string, UnitRecording>) {
  const refused = [...recordings].filter(
    ([unitId, { isStreamWanted }]) => isStreamWanted && host.reachability(unitId)?.streamRefusal != null,
  ).length;
  if (refused === 0) return undefined;
  const whose = countOf(refused, 'meter that is recorded gives', 'meters that are recorded give');
  return { detail: `${whose} no stream: only readings are kept. GET _status says why.`, isGrave: false };
}

function minuteOf(text: string, path: string): number {
  const at = momentOf(text, path);
  if (at % 60_000 !== 0) throw invalid([{ path, message: 'must be a full minute' }]);
  return at / 1_000;
}

async function extentOf(
  host: Host,
  config: DeviceConfig,
  recording: UnitRecording | undefined,
  asked: { readonly gapSeconds: number; readonly channel?: string },
  signal: AbortSignal,
) {
  const extent = await host.history.extent(config.unitId, asked, signal);
  const moment = (seconds: number | null) => iso(seconds === null ? null : seconds * 1_000);
  return {
    unit_id: config.unitId,
    first: moment(extent.first),
    last: moment(extent.last),
    series: extent.series.map(({ first, last, measured, ...series }) => ({
      ...series,
      first: moment(first),
      last: moment(last),
      measured_s: measured,
    })),
    gaps: extent.gaps.map(({ from, to }) => ({ from: moment(from), to: moment(to), seconds: to - from })),
    gap_count: extent.gapCount,
    gap_s: asked.gapSeconds,
    bytes: extent.bytes,
    seconds_from: moment(extent.secondsFrom),
    recording: recordingOf(host, recording),
  };
}

/** A store that cannot write matters more than a meter that does not answer. */
function recordingOf({ history }: Host, recording: UnitRecording | undefined) {
  if (!recording) return undefined;
  const { channels, ...report } = recording.report;
  const { state, reason } = history.status;
  const failing = report.state !== 'off' && (state === 'full' || state === 'failing') && { state, reason };
  const shown = ({ weightingConfirmedAt, ...one }: { readonly weightingConfirmedAt: number | null }) => ({
    ...one,
    weighting_confirmed_at: iso(weightingConfirmedAt),
    ...failing,
  });
  return { ...shown(report), channels: channels.map(shown) };
}
