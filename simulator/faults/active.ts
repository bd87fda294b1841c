/** One fault on the board: in force or not, its timers, how often it fired. The board asks; this decides by its schedule. */
import type { ActiveFault, Clock, When } from '../contract.ts';
import type { Random } from '../random.ts';
import type { CommandContext, Fault } from './contract.ts';
import type { CatalogueEntry } from './define.ts';

interface Parts {
  readonly id: string;
  readonly entry: CatalogueEntry;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly schedule: Schedule;
  readonly clock: Clock;
  /** Commands that the meter had answered when the fault was switched on. */
  readonly baseline: number;
  note(text: string): void;
  /** In force now, or no longer. */
  turned(): void;
}

export class Active {
  readonly id: string;
  readonly kind: string;
  readonly #parts: Parts;
  readonly #onAt: number;
  #fault: Fault = {};
  #inForce = false;
  #timers: (() => void)[] = [];

  constructor(parts: Parts) {
    this.id = parts.id;
    this.kind = parts.entry.name;
    this.#parts = parts;
    this.#onAt = parts.clock.elapsed();
  }

  get fault(): Fault {
    return this.#fault;
  }

  get inForce(): boolean {
    return this.#inForce;
  }

  get description(): ActiveFault {
    const { settings, schedule } = this.#parts;
    return { id: this.id, kind: this.kind, settings, when: schedule.when, fired: schedule.fired };
  }

  start(fault: Fault): void {
    this.#fault = fault;
    if (this.#parts.entry.works !== 'lasting') return;
    const { schedule, clock } = this.#parts;
    const { fromMs = 0, untilMs } = schedule.when;
    if (untilMs !== undefined) this.#timers.push(clock.after(untilMs, () => this.#cease()));
    if (schedule.waitsForCommand) return;
    if (fromMs > 0) this.#timers.push(clock.after(fromMs, () => this.#beginOnTime()));
    else this.#beginOnTime();
  }

  stop(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
    this.#inForce = false;
    this.#fault.end?.();
  }

  /** Whether it works on a connection or on input. */
  worksHere(): boolean {
    return this.#lasts ? this.#inForce : this.#parts.schedule.holds(this.#age, null);
  }

  /** Whether it works on what is said to this command. */
  worksOn(context: CommandContext, number: number): boolean {
    return this.#lasts ? this.#inForce : this.#parts.schedule.holds(this.#age, this.#command(context, number));
  }

  /** A command was answered; a lasting fault may have waited for it. */
  note(context: CommandContext, number: number): void {
    const { schedule } = this.#parts;
    if (!this.#lasts || this.#inForce || !schedule.waitsForCommand || context.command === 0) return;
    if (schedule.holds(this.#age, this.#command(context, number))) this.#begin(` at ${shown(context)}`);
  }

  /** It changed something. A lasting one counted when it began. */
  fired(on: string): void {
    if (this.#lasts) return;
    this.#parts.schedule.count();
    if (on) this.#parts.note(`${this.id} fired at ${on}`);
  }

  get #lasts(): boolean {
    return this.#parts.entry.works === 'lasting';
  }

  get #age(): number {
    return this.#parts.clock.elapsed() - this.#onAt;
  }

  #command({ text }: CommandContext, number: number) {
    return { number: number - this.#parts.baseline, text };
  }

  /** A timer decides about `fromMs`: it may come slightly early. */
  #beginOnTime(): void {
    const { fromMs = 0, times = 1 } = this.#parts.schedule.when;
    if (this.#parts.schedule.fired < times) this.#begin(fromMs > 0 ? ` after ${fromMs} ms` : '');
  }

  #begin(why: string): void {
    this.#inForce = true;
    this.#parts.schedule.count();
    this.#parts.note(`${this.id} began${why}`);
    this.#fault.begin?.();
    this.#parts.turned();
  }

  #cease(): void {
    this.stop();
    this.#parts.note(`${this.id} ceased`);
    this.#parts.turned();
  }
}

export const shown = ({ command, text }: CommandContext) =>
  command === 0 ? 'the greeting' : `command ${command} ${text === '\x1a' ? '<SUB>' : JSON.stringify(text)}`;

// When a fault works: the check of what somebody gives, and one schedule that counts and decides.

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1;
const isTime = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;

interface Part {
  readonly takes: string;
  fits(value: unknown): boolean;
}

const PARTS: Readonly<Record<keyof When, Part>> = {
  commands: { takes: 'a list of whole numbers from 1', fits: (value) => Array.isArray(value) && value.every(isCount) },
  matching: { takes: 'a text', fits: (value) => typeof value === 'string' },
  fromMs: { takes: 'a number of ms from 0', fits: isTime },
  untilMs: { takes: 'a number of ms from 0', fits: isTime },
  probability: { takes: 'a number from 0 to 1', fits: (value) => isTime(value) && Number(value) <= 1 },
  times: { takes: 'a whole number from 1', fits: isCount },
};

export function checkWhen(when: When): void {
  const parts: Readonly<Record<string, Part>> = PARTS;
  for (const [name, value] of Object.entries(when)) {
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (!part) throw new TypeError(`when has no ${JSON.stringify(name)}; it has ${Object.keys(PARTS).join(', ')}`);
    if (value !== undefined && !part.fits(value)) {
      throw new TypeError(`when: ${name} takes ${part.takes}, not ${JSON.stringify(value)}`);
    }
  }
}

/** One `When` at work. Numbers of commands and times are counted from when the fault was switched on. */
export class Schedule {
  readonly when: When;
  readonly #random: Random;
  #fired = 0;

  constructor(when: When, random: Random) {
    this.when = when;
    this.#random = random;
  }

  get fired(): number {
    return this.#fired;
  }

  /** Whether it has a condition about commands, so that a lasting fault waits for a command. */
  get waitsForCommand(): boolean {
    const { commands, matching, probability } = this.when;
    return commands !== undefined || matching !== undefined || probability !== undefined;
  }

  count(): void {
    this.#fired += 1;
  }

  /** `command` is null if there is no command: then conditions about commands do not hold. */
  holds(afterMs: number, command: { readonly number: number; readonly text: string } | null): boolean {
    const { commands, matching, fromMs = 0, untilMs = Number.POSITIVE_INFINITY } = this.when;
    const { times = Number.POSITIVE_INFINITY, probability } = this.when;
    if (afterMs < fromMs || afterMs >= untilMs || this.#fired >= times) return false;
    if (commands && !(command && commands.includes(command.number))) return false;
    if (matching !== undefined && !command?.text.toLowerCase().startsWith(matching.toLowerCase())) return false;
    return probability === undefined || this.#random() < probability;
  }
}
