/** Schedules of some meters, each minute, and whether each run came once. */
import type { Line } from './line.ts';
import { ask } from './load.ts';
import type { Host } from './network.ts';
import type { Referee, Sight } from './referee.ts';

/** The gateway shows the newest 20 runs of a meter. */
const LOOK_MS = 20_000;
/** A job goes on for so long after its run was due, at most; and the clocks of this may differ by so much. */
const LATE_MS = 300_000;
const EARLY_MS = 2_000;
/** An answer that a meter could not send before it lost its connection may not have come. */
const CUT_MS = 2_000;

/** A run, as the gateways told of it. */
interface Run {
  readonly unit: string;
  /** ms since 1970 UTC, by the clock of the gateway. */
  readonly due: number;
  readonly outcomes: Set<string>;
  readonly jobs: Set<string>;
}

/** Clocks of these meters are set each minute. Nobody else sets them. */
export class Plans {
  readonly #hosts: readonly Host[];
  readonly #units: readonly string[];
  readonly #runs = new Map<string, Run>();
  /** Runs that one answer had twice. */
  #twice = 0;
  #asked = 0;
  /** ms since 1970 UTC. */
  #end = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(hosts: readonly Host[], units: readonly string[]) {
    this.#hosts = hosts;
    this.#units = units;
  }

  async begin(host: Host): Promise<void> {
    for (const unit of this.#units) {
      const entries = [{ cron: '* * * * *', action: 'clock_sync' }];
      const plan = await ask(host, 'PUT', `/${unit}/schedule`, { entries });
      if (plan.status !== 200) throw new Error(`schedule: ${JSON.stringify(plan)}`);
    }
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** What comes later is not judged: under a clock that is ahead the newest runs are of the future, and hide those that follow. May be called twice. */
  async close(): Promise<void> {
    if (this.#end !== Number.POSITIVE_INFINITY) return;
    clearInterval(this.#timer);
    await this.#look();
    this.#end = Date.now();
  }

  /** What became of all runs, and what of it the meters saw. */
  judge(referee: Referee): Line {
    const runs = [...this.#runs.values()];
    const with_ = (outcome: string) => runs.filter(({ outcomes }) => outcomes.has(outcome));
    const begun = [...new Set([...with_('started'), ...with_('made_up')])];
    const words = ['started', 'made_up', 'not_started', 'missed'].map((name) => `${with_(name).length} ${name}`);
    const again = runs.filter(({ jobs }) => jobs.size > 1).length + this.#twice;
    let done = 0;
    let more = 0;
    for (const unit of this.#units) {
      const times = settingsIn(referee.of(unit)).filter((at) => at < this.#end - LOOK_MS);
      const dues = begun.filter((run) => run.unit === unit).map(({ due }) => due);
      done += times.length;
      more += withoutRun(times, dues);
    }
    return {
      what: 'each due run once',
      found: `${runs.length} runs of ${this.#units.length} meters: ${words.join(', ')}; ${again} twice; the meters saw ${done} of them done, ${more} more than were due`,
      isKept: begun.length > 0 && done > 0 && again === 0 && more === 0,
    };
  }

  #look(): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      for (const unit of this.#units) await this.#lookAt(unit);
    });
    return this.#looking;
  }

  async #lookAt(unit: string): Promise<void> {
    this.#asked += 1;
    const host = this.#hosts[this.#asked % this.#hosts.length] ?? 'north';
    const { json } = await ask(host, 'GET', `/${unit}/schedule`);
    const recent: { due: string; outcome: string; job: string | null }[] = json.data?.recent ?? [];
    this.#twice += recent.length - new Set(recent.map(({ due }) => due)).size;
    for (const { due, outcome, job } of recent) {
      const key = `${unit} ${due}`;
      const run = this.#runs.get(key) ?? { unit, due: Date.parse(due), outcomes: new Set(), jobs: new Set() };
      run.outcomes.add(outcome);
      if (job !== null) run.jobs.add(job);
      this.#runs.set(key, run);
    }
  }
}

/** When the clock of a meter was set by a whole run, which reads it, sets it and reads it again; ms since 1970 UTC. */
function settingsIn(sights: readonly Sight[]): readonly number[] {
  const times: number[] = [];
  let stage: 'new' | 'read' | 'set' = 'new';
  for (const [n, { kind, at, text }] of sights.entries()) {
    if (kind === 'connect') stage = 'new';
    if (kind !== 'command' || !/^Clock[?,]/.test(text)) continue;
    const isSet = text.startsWith('Clock,');
    const next = sights[n + 1];
    const isCut = next?.kind === 'disconnect' && next.at - at < CUT_MS;
    if (!isSet && stage === 'set' && !isCut) times.push(at);
    // A setting that left late is sent again by the same run.
    if (isSet) stage = stage === 'new' ? 'new' : 'set';
    else stage = 'read';
  }
  return times;
}

/** So many of the times have no due run before them of their own. */
function withoutRun(times: readonly number[], dues: readonly number[]): number {
  const left = new Set(dues);
  let more = 0;
  for (const time of times) {
    const late = (due: number) => time - due + EARLY_MS;
    const [due] = [...left].filter((each) => late(each) >= 0 && late(each) <= LATE_MS).sort((a, b) => b - a);
    if (due === undefined) more += 1;
    else left.delete(due);
  }
  return more;
}
