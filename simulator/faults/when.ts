/** When a fault works: the check of what somebody gives, and one schedule that counts and decides. */
import type { Random } from '../random.ts';
import type { When } from './fault-board.ts';

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

/** Throws a TypeError that names the wrong part. */
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
