/**
 * Adds up the rows of an answer by hour, minute and second. For each second the best source counts. Minutes are a short
 * cut if all their seconds have the same source. So a row is the sum of its seconds, and a shorter span never has more
 * data.
 */
import { ENOUGH } from '../../domain/indices/span-levels.ts';
import { SOURCES } from '../check.ts';
import type { AskedRange, Range } from '../contract.ts';
import { SECONDS_AN_HOUR, STEPS_A_SECOND } from '../rows/bytes.ts';
import type { Candidate, HourCell, HourView, HourViews, NeededRows } from './hour-view.ts';
import type { RowSum } from './row-sum.ts';
import type { Work } from './work.ts';

/**
 * The level of an interval is only spread over its seconds. With this share of its time, seconds of a better source count
 * before it. An interval that reaches out of the row counts after each source inside the row with this share.
 */
const IN_PLACE = ENOUGH;
const STEPS_A_MINUTE = 60 * STEPS_A_SECOND;
const STREAM = SOURCES.indexOf('stream');

/** Hours between two checks of the time. */
const HOURS_AT_ONCE = 16;

export class RangeWork {
  readonly #views: HourViews;
  readonly #inSeconds: boolean;
  /** One object for all seconds: a day has 86,400. */
  readonly #second = { isMinute: false, place: 0 };
  #hour = Number.NaN;
  #hoursDone = 0;

  constructor(views: HourViews, inSeconds: boolean) {
    this.#views = views;
    this.#inSeconds = inSeconds;
  }

  /** Adds a part of a row at once, if it lies in the current hour and its rows are loaded. */
  addIfHere(part: AskedRange, row: Range, sum: RowSum): boolean {
    const isHere =
      this.#isSameHour(part) &&
      this.#views.has(this.#hour, this.#neededOf(part)) &&
      (!this.#isMixed(part, row) || this.#views.has(this.#hour, 'both'));
    if (isHere) this.#addHere(part, row, sum);
    return isHere;
  }

  *add(part: AskedRange, row: Range, sum: RowSum): Work<void> {
    for (const piece of hourPiecesOf(part)) {
      if (!this.#isSameHour(piece)) {
        this.#hoursDone += 1;
        if (this.#hoursDone % HOURS_AT_ONCE === 0) yield null;
      }
      this.#hour = Math.floor(piece.from / SECONDS_AN_HOUR);
      yield* this.#views.load(this.#hour, this.#neededOf(piece));
      if (this.#isMixed(piece, row)) yield* this.#views.load(this.#hour, 'both');
      this.#addHere(piece, row, sum);
    }
  }

  #isSameHour({ from, to }: Range): boolean {
    const begin = this.#hour * SECONDS_AN_HOUR;
    return from >= begin && to <= begin + SECONDS_AN_HOUR;
  }

  /** Whether the seconds of a minute may come from several sources. */
  #isMixed({ from, to, within }: AskedRange, row: Range): boolean {
    if (this.#inSeconds) return false;
    const { candidates } = this.#views.at(within);
    if (candidates.length < 2) return false;
    const begin = this.#hour * SECONDS_AN_HOUR;
    const end = Math.floor((to - begin) / 60);
    for (let place = Math.ceil((from - begin) / 60); place < end; place++)
      if (isMixedMinute(candidates, { isMinute: true, place }, row)) return true;
    return false;
  }

  #addHere({ from, to, within }: AskedRange, row: Range, sum: RowSum): void {
    if (from >= to) return;
    const view = this.#views.at(within);
    const { candidates, beside, whole } = view;
    const begin = this.#hour * SECONDS_AN_HOUR;
    if (whole && to - from === SECONDS_AN_HOUR && !this.#inSeconds) sum.addHour(this.#hour, whole.sum(), whole.source);
    else if (candidates.length + beside.length > 0) this.#addCells(view, from - begin, to - begin, row, sum);
  }

  #neededOf({ from, to }: Range): NeededRows {
    if (this.#inSeconds) return 'seconds';
    if (to - from === SECONDS_AN_HOUR) return 'whole';
    return from % 60 === 0 && to % 60 === 0 ? 'minutes' : 'both';
  }

  /** `from` and `to`: offsets in the hour. Only seconds if no full minute is wanted. */
  #addCells(view: HourView, from: number, to: number, row: Range, sum: RowSum): void {
    const firstMinute = Math.ceil(from / 60);
    const endMinute = Math.floor(to / 60);
    if (this.#inSeconds || firstMinute >= endMinute) {
      this.#addSeconds(view, from, to, row, sum);
      return;
    }
    this.#addSeconds(view, from, firstMinute * 60, row, sum);
    for (let place = firstMinute; place < endMinute; place++) this.#addMinute(view, place, row, sum);
    this.#addSeconds(view, endMinute * 60, to, row, sum);
  }

  #addMinute(view: HourView, place: number, row: Range, sum: RowSum): void {
    const { candidates } = view;
    const cell = { isMinute: true, place };
    const isMixed = candidates.length > 1 && isMixedMinute(candidates, cell, row);
    if (!isMixed || candidates.some((one) => one.steps(cell) > 0 && !one.hasSeconds(place))) {
      addCell(view, cell, row, sum);
      return;
    }
    const second = this.#second;
    for (second.place = place * 60; second.place < place * 60 + 60; second.place++)
      // Readings count in minutes without measured data.
      if (view.beside.length > 0 || candidates.some((one) => one.steps(second) > 0))
        addCell(view, second, row, sum, false);
  }

  #addSeconds(view: HourView, first: number, end: number, row: Range, sum: RowSum): void {
    const second = this.#second;
    for (second.place = first; second.place < end; second.place++) addCell(view, second, row, sum);
  }
}

export function* hourPiecesOf(part: AskedRange): Generator<AskedRange> {
  for (let { from } = part; from < part.to; ) {
    const to = Math.min(part.to, (Math.floor(from / SECONDS_AN_HOUR) + 1) * SECONDS_AN_HOUR);
    yield { ...part, from, to };
    from = to;
  }
}

/** False if the first source has all of the minute: then it has each second. */
function isMixedMinute(candidates: readonly Candidate[], minute: HourCell, row: Range): boolean {
  const measured = candidates.filter((one) => one.steps(minute) > 0);
  const [first] = measured;
  if (!first || measured.length < 2) return false;
  return first.steps(minute) < STEPS_A_MINUTE || first.reachesOut(minute, row);
}

/** `readings`: whether a reading counts if nothing was measured. */
function addCell({ candidates, beside }: HourView, cell: HourCell, row: Range, sum: RowSum, readings = true): void {
  const [only] = candidates;
  if (candidates.length === 1 && beside.length === 0) {
    if (!only || (only.steps(cell) === 0 && !only.hasReading(cell))) return;
    only.addLevels(cell, sum);
    if (sum.wantsCounts) only.addCounts(cell, sum);
    return;
  }
  const best = bestOf(candidates, cell, row) ?? (readings ? candidates.find((one) => one.hasReading(cell)) : undefined);
  const measured = best?.steps(cell) ?? 0;
  for (const one of beside) if (measured < one.steps(cell) * IN_PLACE) one.addBounds(cell, sum);
  if (!best) return;
  best.addLevels(cell, sum);
  if (!sum.wantsCounts) return;
  const counted = candidates.length > 1 ? mostCounted(candidates, cell, best) : best;
  counted.addCounts(cell, sum);
  if (counted !== best) sum.countsOfAnother(best.steps(cell), counted.steps(cell));
}

/** Undefined if nothing was measured. */
function bestOf(candidates: readonly Candidate[], cell: HourCell, row: Range): Candidate | undefined {
  const best = mostOf(candidates, cell);
  if (!best?.isSpread) return best;
  const reachesOut = best.reachesOut(cell, row);
  const inPlace = mostOf(
    candidates.filter((one) => (reachesOut || one.source < best.source) && !one.reachesOut(cell, row)),
    cell,
  );
  return inPlace && inPlace.steps(cell) >= best.steps(cell) * IN_PLACE ? inPlace : best;
}

function mostOf(candidates: readonly Candidate[], cell: HourCell): Candidate | undefined {
  let best: Candidate | undefined;
  let most = 0;
  for (const one of candidates) {
    const measured = one.steps(cell);
    if (measured > most) [best, most] = [one, measured];
  }
  return best;
}

/** With equal samples the stream counts: a card may have one sample that counts for ten. */
function mostCounted(candidates: readonly Candidate[], cell: HourCell, best: Candidate): Candidate {
  if (best.steps(cell) === 0) return best;
  let [counted, most] = [best, best.samples(cell)];
  for (const one of candidates) {
    const samples = one.samples(cell);
    if (samples > most || (samples === most && samples > 0 && one.source === STREAM)) [counted, most] = [one, samples];
  }
  return counted;
}
