/**
 * Gives stored rows another weighting after somebody has stated the right one. In small steps; each step is complete.
 */
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import type { Restated, SeriesKey, StatedWeighting } from '../contract.ts';
import { SECONDS_AN_HOUR } from '../rows/levels.ts';
import { boundsOf } from '../stored/extent.ts';
import { RESTATED_SOURCES } from '../stored/restated.ts';
import type { SeriesRecord } from '../stored/source.ts';
import type { Work } from '../stored/work.ts';
import type { Removal } from './removal.ts';
import type { FileParts, FileSource } from './source.ts';
import type { DatabaseConnection } from './tables.ts';

/** Places of the rows. */
export interface RestateParts extends FileParts {
  readonly source: FileSource;
  readonly writer: DatabaseConnection;
  readonly removal: Pick<Removal, 'has'>;
}

/** For each source of the unit, one after the other. */
export function* restate(stated: StatedWeighting, parts: RestateParts): Work<Restated> {
  let [moved, confirmed, left] = [0, 0, 0];
  for (const source of RESTATED_SOURCES) {
    const done = yield* ofSource({ ...stated, source }, parts);
    moved += done.moved;
    confirmed += done.confirmed;
    left += done.left;
  }
  return { moved, confirmed, left };
}

type Stated = StatedWeighting & SeriesKey;

function* ofSource(stated: Stated, parts: RestateParts): Work<Restated> {
  const { from, to, unitId, source, channel = MAIN_CHANNEL, weighting } = stated;
  const { catalogue, recorder, removal } = parts;
  const ofSource = catalogue.of(unitId).filter((record) => record.source === source && record.channel === channel);
  const { first, end } = yield* boundsOf(ofSource, parts.source);
  let [moved, confirmed, left] = [0, 0, 0];
  if (end === 0) return { moved, confirmed, left };
  const target = catalogue.find({ unitId, channel, source, weighting }) ?? madeSeries(stated, parts);
  const others = ofSource.filter(({ id }) => id !== target.id);
  const last = Math.min(end, Math.ceil(to / SECONDS_AN_HOUR));
  for (let hour = Math.max(first, Math.floor(from / SECONDS_AN_HOUR)); hour < last; hour++) {
    const ids = others.map(({ id }) => id).filter((id) => removal.has(id, hour));
    if (ids.length > 0 || removal.has(target.id, hour)) {
      const done = recorder.restateHour(hour, { stated: target.id, others: ids, from, to });
      if (done) {
        moved += done.moved;
        confirmed += done.confirmed;
      } else left += 1;
    }
    yield null;
  }
  for (const other of others) moved += moveIntervals(other, target, stated, parts);
  return { moved, confirmed, left };
}

function madeSeries(key: SeriesKey, { catalogue }: RestateParts): SeriesRecord {
  const made = catalogue.made(key, true);
  catalogue.write(made);
  catalogue.add(made);
  return made;
}

/**
 * Means between two readings that lie within the span. An interval that reaches out of it stays: its parts may have
 * different weightings.
 */
function moveIntervals(other: SeriesRecord, target: SeriesRecord, { from, to }: Stated, parts: RestateParts): number {
  const { writer, reading, catalogue, recorder } = parts;
  const rows = reading.intervals(other.id, from, to).filter(({ at, duration }) => at >= from && at + duration <= to);
  if (rows.length === 0) return 0;
  const forget = writer.prepare('delete from history_interval where series = ? and at = ?');
  return writer.transaction(() => {
    let moved = 0;
    for (const row of rows) {
      if (!recorder.addInterval(target, row)) continue;
      forget.run(other.id, row.at);
      catalogue.widen(target, row);
      moved += 1;
    }
    recorder.version += 1;
    return moved;
  })();
}
