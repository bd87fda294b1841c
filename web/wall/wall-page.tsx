/** All meters on one large screen that nobody touches: dark, without controls, and plain about what is out of date. */
import { useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { statusByPermit, statusWord } from '../days/day-status.ts';
import { LimitBar } from '../fleet/unit-list.tsx';
import { about, client } from '../state/access.ts';
import { go, MAIN, search } from '../state/address.ts';
import { isoSpan } from '../state/chosen-time.ts';
import {
  acknowledgedAt,
  alarmed,
  changes,
  goingOn,
  isLpShownOld,
  type Known,
  lostSince,
  meters,
  needing,
  now,
  tick,
  worstOf,
} from '../state/fleet.ts';
import { unlessAbsent, useFound } from '../state/found.ts';
import { clockTime, countOfMeters, decibels, nameOf, span } from '../state/numbers.ts';
import { newestLp } from '../state/trouble.ts';
import { PartsBroken } from '../ui/parts-broken.tsx';
import { say } from '../words/say.ts';

/** A page that stays open for weeks becomes a newer one when the gateway does, ms. */
const LOOK_MS = 600_000;

export function WallPage() {
  useEffect(() => {
    const leave = ({ key }: KeyboardEvent) => key === 'Escape' && go('');
    addEventListener('keydown', leave);
    const timer = setInterval(() => void followRelease(), LOOK_MS);
    return () => {
      removeEventListener('keydown', leave);
      clearInterval(timer);
    };
  }, []);
  const calibrated = useCalibrated();
  const verdicts = useVerdicts();
  const known = [...(meters.value?.values() ?? [])];
  const [loud, wrong] = [`${alarmed.value},${goingOn.value}`.split(','), needing.value.split(',')];
  const rankOf = ({ unit }: Known) => {
    const { unit_id } = unit.peek();
    return loud.includes(unit_id) ? 0 : wrong.includes(unit_id) ? 1 : 2;
  };
  const sorted = known.toSorted((one, other) => rankOf(one) - rankOf(other));
  const { list, isShown, words } = usePages(sorted.length);
  return (
    <div class="wall" data-old={lostSince.value !== undefined}>
      <h1 class="hidden-label">{say('All meters')}</h1>
      <PartsBroken look="wall-head out" />
      <Head count={known.length} wrong={needing.value === '' ? 0 : wrong.length} pages={words} />
      <ul ref={list}>
        {sorted
          .filter((_each, index) => isShown(index))
          .map((each) => (
            <Tile
              key={each.unit.peek().unit_id}
              known={each}
              rank={rankOf(each)}
              isCalibrated={calibrated.has(each.unit.peek().unit_id)}
              verdict={verdicts.get(each.unit.peek().unit_id)}
            />
          ))}
      </ul>
    </div>
  );
}

/** The least height of a tile, as its texts need: the larger of the two. */
const TILE = { rem: 17, vmin: 27 };
/** How long a page is shown unless the address says otherwise (`?turn=30`), and the least that it may say, s. */
const TURN_S = 15;
const LEAST_TURN_S = 3;
/** After a touch or a key somebody reads, ms. */
const PAUSE_MS = 60_000;

/** Which tiles of a long list are shown now: as many as fit, page after page. */
function usePages(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const [fits, setFits] = useState(count);
  const [turned, setTurned] = useState(0);
  const [touched, setTouched] = useState(0);
  useEffect(() => {
    const { current } = list;
    if (!current) return;
    const measure = new ResizeObserver(() => {
      const { gridTemplateColumns, rowGap } = getComputedStyle(current);
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const height = Math.max(TILE.rem * rem, (TILE.vmin * Math.min(innerWidth, innerHeight)) / 100);
      const rows = Math.floor(
        (current.clientHeight + Number.parseFloat(rowGap)) / (height + Number.parseFloat(rowGap)),
      );
      setFits(gridTemplateColumns.split(' ').length * Math.max(1, rows));
    });
    measure.observe(current);
    const touch = () => setTouched(Date.now());
    for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, touch);
    return () => {
      measure.disconnect();
      for (const kind of ['pointerdown', 'keydown']) removeEventListener(kind, touch);
    };
  }, []);
  const pages = Math.max(1, Math.ceil(count / fits));
  const isPaused = touched > 0;
  const turn = Math.max(LEAST_TURN_S, Number(search.value.get('turn')) || TURN_S) * 1_000;
  useEffect(() => {
    const next = () => (isPaused ? setTouched(0) : setTurned((before) => before + 1));
    const timer = pages > 1 ? setTimeout(next, isPaused ? PAUSE_MS : turn) : undefined;
    return () => clearTimeout(timer);
  }, [pages, turned, touched, turn]);
  const shown = turned % pages;
  const gaps = { page: shown + 1, pages };
  const words = isPaused
    ? say('page {page} of {pages}, stopped by a touch', gaps)
    : say('page {page} of {pages}', gaps);
  return {
    list,
    isShown: (index: number) => Math.floor(index / fits) === shown,
    words: pages > 1 ? words : '',
  };
}

const CALIBRATIONS_MS = 15_000;

/** Units whose levels are those of a calibrator now, as a note says. */
function useCalibrated(): ReadonlySet<string> {
  const turn = useComputed(() => Math.floor(now.value / CALIBRATIONS_MS)).value;
  const ask = () => {
    const span = isoSpan({ from: now.peek(), to: now.peek() + 1_000 });
    return client.value.all<schemas.Note>('/_notes', { kind: 'exclusion', reason: 'calibration', ...span });
  };
  const { found = [] } = useFound(ask, [turn]);
  return new Set(
    found.flatMap(({ unit_id, channels }) => (channels === null || channels.includes(MAIN) ? unit_id : [])),
  );
}

const VERDICTS_MS = 300_000;

/** Of today so far, by unit. Units without a permit have a level and no verdict. */
function useVerdicts(): ReadonlyMap<string, schemas.UnitVerdict> {
  const turn = useComputed(() => Math.floor(now.value / VERDICTS_MS)).value;
  const ask = () => unlessAbsent(client.value.lastVerdicts(1), { data: [], permits: [] });
  const { found } = useFound(ask, [turn, changes.value.alert, changes.value.config]);
  return new Map((found?.data ?? []).flatMap(({ unit_id, days }) => days.map((day) => [unit_id, day] as const)));
}

async function followRelease(): Promise<void> {
  const before = about.peek()?.version;
  const found = await client.value.about().catch(() => undefined);
  if (found && before !== undefined && found.version !== before) location.reload();
}

/** The running time shows that the screen is alive. */
function Head({ count, wrong, pages }: { readonly count: number; readonly wrong: number; readonly pages: string }) {
  const all = countOfMeters(count);
  const time = useComputed(() => clockTime(now.value)).value;
  const lost = lostSince.value;
  const silent = useComputed(
    () => [...(meters.value?.values() ?? [])].filter(({ unit }) => tick.value > 0 && isLpShownOld(unit.peek())).length,
  ).value;
  if (lost !== undefined)
    return (
      <p class="wall-head out" role="alert">
        {say('Out of date: the gateway has not answered for {length}.', { length: span((Date.now() - lost) / 1_000) })}{' '}
        <time>{time}</time>
      </p>
    );
  return (
    <p class="wall-head">
      <span>
        {wrong === 0
          ? say('{all}, none needs attention', { all })
          : say('{all}, {count} needs attention|{all}, {count} need attention', { all, count: wrong })}
        {silent > 0 && `, ${say('{count} without a fresh level|{count} without a fresh level', { count: silent })}`}
        {pages !== '' && `, ${pages}`}
      </span>
      <time>{time}</time>
    </p>
  );
}

const LOOKS = ['loud', 'wrong', 'well'] as const;

interface TileProps {
  readonly known: Known;
  readonly rank: number;
  readonly isCalibrated: boolean;
  /** Of today; undefined: no permit is valid. */
  readonly verdict: schemas.UnitVerdict | undefined;
}

function Tile({ known, rank, isCalibrated, verdict }: TileProps) {
  const unit = known.unit.value;
  const isOld = useComputed(() => isLpShownOld(known.unit.value)).value;
  const trouble = useComputed(() => worstOf(known.unit.value)).value;
  const seen = useComputed(() => acknowledgedAt(known.unit.value)).value;
  const age = useComputed(() => {
    const at = newestLp(known.unit.value);
    return at === null
      ? say('no level yet')
      : say('{length} old', { length: span((now.value - Date.parse(at)) / 1_000) });
  }).value;
  const weightings = { frequency: unit.frequency_weighting, time: unit.time_weighting };
  const today = verdict && statusByPermit(verdict);
  // A day that was too loud is never green, also while it is quiet now.
  const look = rank === 2 && today === 'exceeded' ? 'wrong' : LOOKS[rank];
  return (
    <li class={`tile ${look}${isOld ? ' old' : ''}`}>
      <span class="tile-name" dir="auto">
        {unit.name ?? unit.unit_id}
      </span>
      <span class="tile-level">
        {isOld && unit.lp !== null && !isCalibrated ? (
          <s>{decibels(unit.lp)}</s>
        ) : (
          decibels(isCalibrated ? null : unit.lp)
        )}{' '}
        <small>dB {nameOf('lp', weightings)}</small>
      </span>
      <span class="tile-words">{trouble ?? seen ?? (isCalibrated ? say('Calibration') : isOld ? age : '')}</span>
      {!isCalibrated && <LimitBar unitId={unit.unit_id} />}
      {today && (
        <span class="tile-words">
          <span class={`day key ${today}`} /> {say('today: {verdict}', { verdict: statusWord(today) })}
        </span>
      )}
    </li>
  );
}
