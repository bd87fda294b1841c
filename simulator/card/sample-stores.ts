/**
 * The stores of the field card: `Auto_0019` with 15-minute Leq and 1-second Lp, and `Manual_0019` with one short run. The
 * levels are a quiet room made up from a seed; Leq rows are the energy means of the Lp rows of the same times.
 */
import { energyMean, exceededLevel, exposureLevel } from '../acoustics/levels.ts';
import type { Block, BlockValues, Card, CardTree, DisplayValues, InstrumentSetup, StoreLabel } from '../contract.ts';

interface SampleOptions {
  readonly serial?: string;
  readonly index?: number;
  /** Device time of the start of the Auto store. */
  readonly at?: number;
  readonly hours?: number;
  readonly seed?: number;
}

const SECOND = 1_000;
const LEQ_INTERVAL = 900 * SECOND;
const OFF = { on: false, frequency: 'A', time: 'F' } as const;

const SETUP: InstrumentSetup = {
  channels: { main: { on: true, frequency: 'A', time: 'S' }, sub1: OFF, sub2: OFF, sub3: OFF },
  percentiles: [5, 10, 50, 90, 95],
  movingLeqMs: null,
};

/** Adds the stores, in place of stores of the same names. Throws a CardProblem where they do not fit. */
export function addSampleStores(card: Card & CardTree, options: SampleOptions = {}): void {
  const { serial = '00000000', index = 1, at = card.startedAt, hours = 2, seed = 19 } = options;
  const label = (mode: StoreLabel['mode']): StoreLabel => ({
    mode,
    storeName: 19,
    indexNumber: index,
    address: 1,
    startedAt: at,
    model: card.model,
    serial,
    setup: SETUP,
    lpIntervalMs: SECOND,
    leqIntervalMs: LEQ_INTERVAL,
  });
  const quiet = quietRoom(seed);
  storeAuto(card, label('Auto'), at, hours * 3_600, quiet);
  const run = Array.from({ length: 10 }, quiet);
  card.storeManual({ ...label('Manual'), startedAt: at - 5_400_000 }, run.length * SECOND, onlyMain(display(run)));
}

function storeAuto(card: Card, label: StoreLabel, at: number, seconds: number, quiet: () => BlockValues): void {
  const store = card.openAuto(label);
  let part: BlockValues[] = [];
  for (let second = 0; second < seconds; second++) {
    const values = quiet();
    store.lp(block(second, 1, values), at + second * SECOND);
    part.push(values);
    if (part.length * SECOND < LEQ_INTERVAL) continue;
    const from = second + 1 - part.length;
    store.leq(block(from, part.length, merge(part)), at + from * SECOND);
    part = [];
  }
  store.close();
}

const block = (second: number, length: number, values: BlockValues): Block => ({
  from: second * SECOND,
  to: (second + length) * SECOND,
  channels: onlyMain(values),
});

const onlyMain = <T>(main: T) => ({ main, sub1: null, sub2: null, sub3: null });

/** One second after another of a room at about 44 dB(A), as Slow shows it: Lp follows Leq by 63 % a second. */
function quietRoom(seed: number): () => BlockValues {
  let state = seed;
  const noise = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  let lp = 44;
  let drift = 0;
  return () => {
    drift = 0.98 * drift + 0.3 * noise();
    const leq = 44 + drift + noise();
    const before = lp;
    lp += (leq - lp) * 0.63;
    const [low, high] = before < lp ? [before, lp] : [lp, before];
    const ln = [high, high, (low + high) / 2, low, low] as const;
    return {
      lp,
      leq,
      le: leq,
      lmax: high,
      lmin: low,
      ln,
      lpeak: leq + 14 + noise(),
      lieq: leq + 1,
      over: false,
      under: false,
    };
  };
}

function merge(seconds: readonly BlockValues[]): BlockValues {
  const leq = energyMean(seconds.map((one) => one.leq));
  const lp = seconds.map((one) => one.lp);
  const [n1, n2, n3, n4, n5] = SETUP.percentiles;
  const exceeded = (percent: number) => exceededLevel(lp, percent);
  return {
    lp: seconds.at(-1)?.lp ?? leq,
    leq,
    le: exposureLevel(leq, seconds.length),
    lmax: Math.max(...seconds.map((one) => one.lmax)),
    lmin: Math.min(...seconds.map((one) => one.lmin)),
    ln: [exceeded(n1), exceeded(n2), exceeded(n3), exceeded(n4), exceeded(n5)],
    lpeak: Math.max(...seconds.map((one) => one.lpeak)),
    lieq: energyMean(seconds.map((one) => one.lieq)),
    over: false,
    under: false,
  };
}

/** As the display shows it: the additional values are missing, as in every stored line of the field. */
const display = (seconds: readonly BlockValues[]): DisplayValues => ({
  ...merge(seconds),
  lieq: null,
  leqMov: null,
  ltm5: null,
});
