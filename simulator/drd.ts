/**
 * The stream after `DRD?`: a frame every 100 ms. The grid begins with the stream, so delays do not add up. The counter counts
 * frames since the request, 1 ... 600, and begins again (captured; the wrap inferred).
 */
import { DRD } from '../lib/drivers/nl43/spec/layouts.ts';
import type { Clock } from './contract.ts';
import type { Machine } from './machine.ts';
import { frameLine, statusTail } from './reply-writer.ts';

const HAIR_MS = 1e-6;

interface Parts {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly status: boolean;
  /** Takes the line of one frame without its end, and how much later it comes: a cellular link delivers frames in bunches. */
  frame(line: string, afterMs: number): void;
}

export class DrdStream {
  readonly #parts: Parts;
  readonly #beganAt: number;
  #sent = 0;
  #left = Number.POSITIVE_INFINITY;
  #over = () => {};
  #cancel = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    const { machine } = parts;
    machine.measurement.advance();
    machine.parts.instrument.beginFrames();
    this.#beganAt = machine.uptime();
    this.#schedule();
  }

  get ending(): boolean {
    return this.#left !== Number.POSITIVE_INFINITY;
  }

  /** Ends the stream after this many more frames, which are on their way already. False when it is ending already. */
  finish(lateFrames: number, over: () => void): boolean {
    if (this.ending) return false;
    this.#left = lateFrames;
    this.#over = over;
    if (lateFrames === 0) this.#end();
    return true;
  }

  close(): void {
    this.#cancel();
  }

  #end(): void {
    this.#cancel();
    this.#over();
  }

  #dueAt(): number {
    return this.#beganAt + (this.#sent + 1) * DRD.frameMs;
  }

  #schedule(): void {
    const wait = this.#dueAt() - this.#parts.machine.uptime();
    this.#cancel = this.#parts.clock.after(Math.max(0, wait), () => this.#fire());
  }

  #fire(): void {
    while (this.#left > 0 && this.#dueAt() <= this.#parts.machine.uptime() + HAIR_MS) this.#emit();
    if (this.#left > 0) this.#schedule();
    else this.#end();
  }

  #emit(): void {
    const { machine, status, frame } = this.#parts;
    const { instrument, profile } = machine.parts;
    machine.measurement.advance(this.#dueAt());
    machine.network.noteActivity();
    const counter = (this.#sent % DRD.lastCounter) + 1;
    this.#sent += 1;
    this.#left -= 1;
    const line = frameLine(counter, instrument.frame(), profile);
    const bunch = Math.max(1, profile.frames_bunched);
    const afterMs = (bunch - 1 - ((this.#sent - 1) % bunch)) * DRD.frameMs;
    frame(status ? `${line},${this.#tail()}` : line, afterMs);
  }

  #tail(): string {
    const { machine } = this.#parts;
    const { card, profile } = machine.parts;
    const status = {
      time: machine.time.now(),
      power: machine.powerSource,
      battery: machine.battery,
      sdFreeMb: card.inserted ? Math.floor(card.freeMb) : 0,
      measuring: machine.measurement.running,
    };
    return statusTail(status, profile);
  }
}
