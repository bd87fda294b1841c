/**
 * The five meters of the demo, at three sites: where each is, and what is heard there at which time. Numbers only;
 * `demo-week.ts` makes levels of them, and config/scenarios has the sound of now.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { FleetMember } from '../fleet.ts';

type Range = readonly [number, number];

/** When something is heard: days of the week (0 is Sunday), and local hours of each of them. */
interface Times {
  readonly days: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** A sound that is on and off: each piece of so many minutes has a level of its own. Levels are dB(A). */
interface Pieces extends Times {
  readonly minutes: number;
  /** Share of the pieces in which it is on. */
  readonly share: number;
  readonly db: Range;
  /** How far single seconds are from the level of their piece, at most, dB. */
  readonly flicker: number;
}

/** Something passes once in so many minutes, and is over within its minute. */
interface Passes extends Times {
  readonly everyMinutes: number;
  /** At its loudest, dB(A). */
  readonly db: Range;
  readonly seconds: Range;
}

interface Heard extends Times {
  readonly scenario: string;
}

export interface SiteMeter {
  readonly name: string;
  readonly place: string;
  readonly tags: readonly string[];
  /** Metres to the east and to the north of the middle of the demo. */
  readonly at: readonly [east: number, north: number];
  /** Background of each local hour, dB(A). */
  readonly quiet: readonly number[];
  /** Least background of a windy day, dB(A). */
  readonly windy: number;
  readonly pieces: readonly Pieces[];
  readonly passes: readonly Passes[];
  /** The first one whose time it is counts. */
  readonly heard: readonly Heard[];
}

const EACH = [0, 1, 2, 3, 4, 5, 6];
const WORKDAYS = [1, 2, 3, 4, 5];
const SATURDAY = [6];
const AT_ALL_TIMES = { days: EACH, from: 0, to: 24 };
const BY_DAY = { days: EACH, from: 6, to: 22 };
/** Friday and Saturday, until the early hours of the next day. */
const DANCE = [
  { days: [5, 6], from: 21, to: 24 },
  { days: [6, 0], from: 0, to: 3 },
];

/** A curve over the day: the level of the night, and how much louder noon is. */
const daily = (night: number, rise: number): readonly number[] =>
  [0, 0, 0, 0, 0.1, 0.3, 0.6, 0.9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.9, 0.8, 0.6, 0.5, 0.3, 0.1].map(
    (part) => night + part * rise,
  );

const WORKS: SiteMeter = {
  name: 'Building works, gate',
  place: 'Station Road 1',
  tags: ['station-road'],
  at: [8, -18],
  quiet: daily(37, 11),
  windy: 50,
  pieces: [
    // An excavator with its lorries, a break at noon, and some clearing up on Saturday.
    { days: WORKDAYS, from: 7, to: 12, minutes: 12, share: 0.85, db: [61, 67], flicker: 2 },
    { days: WORKDAYS, from: 13, to: 16.5, minutes: 12, share: 0.85, db: [61, 67], flicker: 2 },
    { days: SATURDAY, from: 8, to: 12, minutes: 12, share: 0.5, db: [57, 62], flicker: 2 },
    // A hammer.
    { days: WORKDAYS, from: 9, to: 11.5, minutes: 3, share: 0.35, db: [69, 73], flicker: 4 },
    { days: WORKDAYS, from: 14, to: 15.5, minutes: 3, share: 0.35, db: [69, 73], flicker: 4 },
  ],
  passes: [{ ...BY_DAY, everyMinutes: 9, db: [56, 64], seconds: [8, 18] }],
  heard: [
    { days: WORKDAYS, from: 7, to: 12, scenario: 'construction' },
    { days: WORKDAYS, from: 13, to: 16.5, scenario: 'construction' },
    { ...BY_DAY, scenario: 'street' },
    { ...AT_ALL_TIMES, scenario: 'night' },
  ],
};

/** The breaks of a school day, local hours. */
const BREAKS = [
  { days: WORKDAYS, from: 7.67, to: 8 },
  { days: WORKDAYS, from: 9.5, to: 9.84 },
  { days: WORKDAYS, from: 11.42, to: 11.75 },
  { days: WORKDAYS, from: 13, to: 13.6 },
];

const SCHOOL: SiteMeter = {
  name: 'School, playground',
  place: 'Station Road 8, by the fence',
  tags: ['station-road'],
  at: [130, 40],
  quiet: daily(34, 12),
  windy: 48,
  pieces: [
    ...BREAKS.map((times) => ({ ...times, minutes: 1, share: 1, db: [67, 73] as const, flicker: 3 })),
    // Sports in the open.
    { days: WORKDAYS, from: 10, to: 11.25, minutes: 5, share: 0.5, db: [56, 62], flicker: 3 },
  ],
  passes: [{ ...BY_DAY, everyMinutes: 11, db: [54, 61], seconds: [8, 18] }],
  heard: [
    ...BREAKS.map((times) => ({ ...times, scenario: 'playground' })),
    { ...BY_DAY, scenario: 'street' },
    { ...AT_ALL_TIMES, scenario: 'night' },
  ],
};

const RAIL: SiteMeter = {
  name: 'Rail line, east fence',
  place: 'Kilometre 12.4, 25 m from the track',
  tags: ['railway'],
  at: [355, 210],
  quiet: daily(36, 8),
  windy: 51,
  pieces: [],
  passes: [
    { days: EACH, from: 6, to: 22, everyMinutes: 10, db: [71, 78], seconds: [14, 28] },
    { days: EACH, from: 22, to: 24, everyMinutes: 30, db: [69, 74], seconds: [14, 28] },
    { days: EACH, from: 4, to: 6, everyMinutes: 30, db: [69, 74], seconds: [14, 28] },
    // Goods trains.
    { days: EACH, from: 0, to: 4, everyMinutes: 80, db: [71, 76], seconds: [35, 50] },
  ],
  heard: [
    { ...BY_DAY, scenario: 'railway' },
    { ...AT_ALL_TIMES, scenario: 'railway-night' },
  ],
};

const CLUB: SiteMeter = {
  name: 'Club, courtyard wall',
  place: 'Market Lane 3',
  tags: ['old-town'],
  at: [-266, 150],
  quiet: daily(37, 13),
  windy: 49,
  pieces: DANCE.map((times) => ({ ...times, minutes: 4, share: 1, db: [74, 79] as const, flicker: 2 })),
  passes: [{ ...BY_DAY, everyMinutes: 7, db: [57, 65], seconds: [8, 16] }],
  heard: [
    ...DANCE.map((times) => ({ ...times, scenario: 'club' })),
    { ...BY_DAY, scenario: 'street' },
    { ...AT_ALL_TIMES, scenario: 'night' },
  ],
};

const YARD: SiteMeter = {
  name: 'Quiet yard, Garden Lane',
  place: 'Garden Lane 5, behind the house',
  tags: ['old-town'],
  at: [-330, 90],
  quiet: daily(31, 8),
  windy: 41,
  // The bass of the club.
  pieces: DANCE.map((times) => ({ ...times, minutes: 4, share: 1, db: [38, 42] as const, flicker: 1 })),
  passes: [
    // Birds, and now and then a car.
    { days: EACH, from: 5, to: 9, everyMinutes: 2, db: [43, 51], seconds: [3, 9] },
    { ...BY_DAY, everyMinutes: 20, db: [50, 58], seconds: [6, 14] },
    { days: EACH, from: 22, to: 24, everyMinutes: 50, db: [43, 49], seconds: [6, 14] },
    { days: EACH, from: 0, to: 5, everyMinutes: 50, db: [43, 49], seconds: [6, 14] },
  ],
  heard: [
    { days: EACH, from: 5, to: 9, scenario: 'birds' },
    { ...AT_ALL_TIMES, scenario: 'night' },
  ],
};

/** In the order of their names, from `sim-1` on. */
export const SITE_METERS: readonly SiteMeter[] = [WORKS, SCHOOL, RAIL, CLUB, YARD];

export const isTimeOf = ({ days, from, to }: Times, { day, minute }: LocalTime): boolean =>
  minute >= from * 60 && minute < to * 60 && days.includes(day);

interface LocalTime {
  /** Of the week, 0 is Sunday. */
  readonly day: number;
  /** Of the day, from midnight. */
  readonly minute: number;
}

/** The weakest battery of the demo: it needs a person. */
const ON_BATTERY = YARD;

/** Each meter measures. With `hears` it hears its site, from now on until the signal aborts. Returns at once. */
export function startSites(
  fleet: readonly FleetMember[],
  clock: PlaceClock,
  hears: boolean,
  signal: AbortSignal,
): void {
  for (const [index, { meter }] of fleet.entries()) {
    const site = SITE_METERS[index];
    if (!site) continue;
    if (meter.read('Measure') === 'Stop') meter.set('Measure', 'Start');
    if (site === ON_BATTERY) {
      meter.set('Power Source', 'Battery');
      meter.set('Battery Level', 'Low');
    }
    if (hears) void hear(meter, site, clock, signal);
  }
}

/** Looks each minute whether another sound begins. */
async function hear(
  { instrument }: FleetMember['meter'],
  { heard }: SiteMeter,
  clock: PlaceClock,
  signal: AbortSignal,
): Promise<void> {
  let present: string | undefined;
  while (!signal.aborted) {
    const local = clock.at(Math.floor(Date.now() / 1_000));
    const scenario = heard.find((one) => isTimeOf(one, local))?.scenario;
    if (scenario !== undefined && scenario !== present) instrument.play({ scenario });
    present = scenario;
    await pause(60_000, undefined, { signal, ref: false }).catch(() => {});
  }
}

const DAY_S = 86_400;

/** The clock of a place. All times are s since 1970 UTC. */
export class PlaceClock {
  readonly now: number;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  constructor(timeZone: string, now: number) {
    this.now = now;
    this.#format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  }

  at(time: number): LocalTime {
    const local = time + this.#offset(time);
    return { day: new Date(local * 1_000).getUTCDay(), minute: Math.floor((local % DAY_S) / 60) };
  }

  /** So many days before today, at this local hour. */
  ago(days: number, hour: number): number {
    const local = this.now + this.#offset(this.now);
    const wanted = local - (local % DAY_S) - days * DAY_S + hour * 3_600;
    const near = wanted - this.#offset(this.now);
    return wanted - this.#offset(near);
  }

  /** The least number of days, from `least` on, that ago it was such a day of the week. */
  lastDay(days: readonly number[], least: number): number {
    const ago = EACH.map((more) => least + more).find((each) => days.includes(this.at(this.ago(each, 12)).day));
    return ago ?? least;
  }

  /** Of the hour, s. */
  #offset(time: number): number {
    const hour = time - (((time % 3_600) + 3_600) % 3_600);
    const known = this.#offsets.get(hour);
    if (known !== undefined) return known;
    const offset = Date.parse(`${this.#format.format(hour * 1_000).replace(' ', 'T')}Z`) / 1_000 - hour;
    this.#offsets.set(hour, offset);
    return offset;
  }
}
