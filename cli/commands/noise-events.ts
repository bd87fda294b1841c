/** Single noise events in the seconds of a span. */
import type { schemas } from '../../client/index.ts';
import { CHANNEL, channelIn } from '../command-line.ts';
import type { Command, CommandCall } from '../contract.ts';
import { savedTable, TABLE_OPTIONS } from '../list.ts';
import { counted, harmless, level, moment, percent, printed, table } from '../output.ts';
import { spanOf } from '../times.ts';

const MOST = 1_000;

export const NOISE_EVENTS: readonly Command[] = [
  {
    name: 'events',
    summary: 'Find single noise events: above a level, or above the background',
    words: [{ name: 'UNIT', completion: 'unit' }],
    options: [
      { name: 'threshold', value: 'DB', help: 'an event is above this level' },
      { name: 'over-background', value: 'DB', help: 'or so much above the LA90 of its quarter of an hour' },
      { name: 'from', value: 'TIME', help: 'begin: 24h or 7d ago, a date, or a time with its offset (24h)' },
      { name: 'to', value: 'TIME', help: 'end, not included (now)' },
      CHANNEL,
      ...TABLE_OPTIONS,
    ],
    examples: ['slm events roof --threshold 70', 'slm events roof --over-background 10 --from 7d --output week.xlsx'],
    run: noiseEvents,
  },
];

async function noiseEvents(call: CommandCall): Promise<undefined> {
  const { options, words, terminal, signal } = call;
  const unit = words.UNIT ?? '';
  const zoneOf = async () => (await call.client().config(unit)).timezone;
  const { threshold, 'over-background': over } = options;
  const query = {
    ...(await spanOf(options, '24h', terminal.now(), zoneOf)),
    ...channelIn(options),
    ...(typeof threshold === 'string' && { threshold }),
    ...(typeof over === 'string' && { over_background: over }),
  };
  const path = `/${encodeURIComponent(unit)}/events`;
  const saved = savedTable(call, path, query);
  if (saved) return saved;
  const asked = { query: { ...query, limit: MOST }, signal };
  const { data, next } = await call
    .client()
    .call<{ readonly data: schemas.NoiseEvents; readonly next: string | null }>(path, asked);
  if (next !== null) terminal.note(`Only the first ${MOST} are shown; --output FILE saves all.`);
  return printed(call, data, () => shownEvents(data));
}

function shownEvents({ events, count, lae, coverage, notes }: schemas.NoiseEvents): string {
  const rows = events.map((event) => [
    ...[moment(event.start), `${event.duration_s} s`, level(event.lae), level(event.lmax), moment(event.lmax_at)],
  ]);
  return [
    table(['start utc', 'lasted', 'lae', 'lmax', 'loudest utc'], rows, 'No events.'),
    `${counted(count, 'event')}, LAE ${level(lae)} dB; ${percent(coverage ?? 0)} of this time was measured.`,
    ...notes.map((note) => harmless(note)),
  ].join('\n');
}
