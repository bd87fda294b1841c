/**
 * Answers of a meter that are kept, and the newest frame: a setting that is sent, a start or stop, and a lost
 * connection end them all. And complete replies that could not be read.
 */
import type { Clock } from '../clock.ts';
import type { Command, Frame, StreamCommand } from '../drivers/wire/contract.ts';
import type { UnreadableReply } from './contract.ts';

/** A frame describes the present state of the meter for this time, ms: not in a break of the stream. */
const FRAME_MS = 1_000;
/** While a stream is watched, an answer of each kind counts as present for this time, ms. */
const HOLDS_MS = { other: 2_000, setting: 60_000, minutes: 60_000, measurement: Number.POSITIVE_INFINITY };
/** A measuring meter accepts hardly any setting, neither from its keys nor from others. ms */
const SETTING_MEASURING_MS = 300_000;
const MOST = 200;

interface Answer {
  readonly line: string;
  readonly at: number;
}

export interface KnownValue<T> {
  readonly value: T;
  readonly ageMs: number;
}

export interface Freshness {
  /** ms; undefined: the age that a watched stream allows, and 0 without a stream. */
  readonly maxAgeMs: number | undefined;
  readonly isWatched: boolean;
  readonly isMeasuring: boolean;
}

export class KnownValues {
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** By the text of the request. Stored as text: two commands may parse one answer in two ways. */
  readonly #answers = new Map<string, Answer>();
  #newest: { readonly stream: StreamCommand<Frame>; readonly frame: Frame; readonly at: number } | undefined;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  keep(text: string, line: string): void {
    this.#answers.delete(text);
    this.#answers.set(text, { line, at: this.#clock.elapsed() });
    if (this.#answers.size > MOST) this.#answers.delete(this.#answers.keys().next().value ?? '');
  }

  keepFrame<F extends Frame>(stream: StreamCommand<F>, frame: F): void {
    this.#newest = { stream, frame, at: this.#clock.elapsed() };
  }

  /** The answer to this request, if it is fresh enough. */
  answer<T>(command: Command<T>, freshness: Freshness): KnownValue<T> | undefined {
    const { maxAgeMs, isWatched, isMeasuring } = freshness;
    if (command.kind === 'setting' || maxAgeMs === 0 || (maxAgeMs === undefined && !isWatched)) return undefined;
    const { holds = 'other' } = command;
    const usualMs = holds === 'setting' && isMeasuring ? SETTING_MEASURING_MS : HOLDS_MS[holds];
    const newest = this.#newestWithin(maxAgeMs ?? (holds === 'other' ? FRAME_MS : usualMs));
    const seen = newest?.stream.answers?.(newest.frame)[command.text];
    const known = this.#answers.get(command.text);
    // The stream of the family has the same value as the command of the same text. The younger one counts.
    if (newest && seen !== undefined && !(known && known.at > newest.at))
      return { value: seen as T, ageMs: this.#age(newest.at) };
    if (!known) return undefined;
    const ageMs = this.#age(known.at);
    return ageMs <= (maxAgeMs ?? usualMs) ? { value: command.decode(known.line), ageMs } : undefined;
  }

  frame<F>(stream: StreamCommand<F>, { maxAgeMs, isWatched }: Freshness): KnownValue<F> | undefined {
    if (maxAgeMs === undefined && !isWatched) return undefined;
    const newest = this.#newestWithin(Math.min(maxAgeMs ?? FRAME_MS, FRAME_MS));
    if (newest?.stream.text !== stream.text) return undefined;
    return { value: newest.frame as F, ageMs: this.#age(newest.at) };
  }

  clear(): void {
    this.#answers.clear();
    this.#newest = undefined;
  }

  #newestWithin(maxAgeMs: number) {
    return this.#newest && this.#age(this.#newest.at) <= maxAgeMs ? this.#newest : undefined;
  }

  #age(at: number): number {
    return this.#clock.elapsed() - at;
  }
}

const FAILED_TIMES = 3;
const RARELY_MS = 3_600_000;
/** The list is for a person. When it is full, the oldest entry is removed. */
const MOST_UNREADABLE = 16;

/**
 * Replies that could not be read, by request. A request that failed in this way three times in a row is asked rarely.
 */
export class UnreadableReplies {
  readonly #clock: Clock;
  readonly #replies = new Map<string, UnreadableReply & { readonly elapsed: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How often in a row the reply to this command could not be read, with this time. */
  add(command: string, raw: string): number {
    const times = (this.#replies.get(command)?.times ?? 0) + 1;
    this.#replies.delete(command);
    this.#replies.set(command, { command, raw, times, at: this.#clock.now(), elapsed: this.#clock.elapsed() });
    for (const oldest of [...this.#replies.keys()].slice(0, -MOST_UNREADABLE)) this.#replies.delete(oldest);
    return times;
  }

  clear(): void {
    this.#replies.clear();
  }

  delete(command: string): void {
    this.#replies.delete(command);
  }

  isWorthAsking(command: string): boolean {
    const last = this.#replies.get(command);
    return !last || last.times < FAILED_TIMES || this.#clock.elapsed() - last.elapsed >= RARELY_MS;
  }

  get list(): readonly UnreadableReply[] {
    return Array.from(this.#replies.values(), ({ command, raw, at, times }) => ({ command, raw, at, times }));
  }
}
