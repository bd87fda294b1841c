/**
 * Single events over the background: pass-bys and impulses. Time is cut into slots. The events of a slot depend only on its
 * number. So the events of any time are found from its slot and the slot before it.
 */
import { meanSquareOf } from './levels.ts';
import { poisson, seededBetween, streamSeed, uniform } from './noise.ts';
import type { Impulses, PassBys } from './scenario.ts';
import { perUnitA } from './weighting.ts';
import type { SoundWindow } from './window.ts';

/** No event outlasts one slot. */
const PASS_BY_SLOT_MS = 60_000;
const IMPULSE_SLOT_MS = 5000;
/** After twelve time constants an impulse has fallen by 52 dB and ends; with at most 400 ms this is within one slot. */
const IMPULSE_LENGTH = 12;

interface EventDetails {
  readonly beginMs: number;
  readonly lengthMs: number;
  /** A-weighted mean square at its loudest. */
  readonly power: number;
}

type Add = (window: SoundWindow, from: number, to: number) => void;
type Draw = (seed: number, slot: number, place: number) => EventDetails;

export function addPassBys(kind: PassBys, seed: number, stepMs: number): Add {
  const shape = perUnitA(kind.spectrum);
  const slots = new Slots(PASS_BY_SLOT_MS, kind.perHour, seed, (own, slot, place) => ({
    beginMs: (slot + uniform(own, 3 * place)) * PASS_BY_SLOT_MS,
    power: meanSquareOf(seededBetween(kind.levelDbA, own, 3 * place + 1)),
    lengthMs: 1000 * seededBetween(kind.seconds, own, 3 * place + 2),
  }));
  return (window, from, to) => {
    slots.each(window, from, to, stepMs, (event, begin, end) => {
      for (let i = begin; i < end; i++) {
        const energy = event.power * passByShape(((window.first + i + 0.5) * stepMs - event.beginMs) / event.lengthMs);
        addEnergy(window, i, energy, shape);
      }
    });
  };
}

/** A source of constant power passing on a line: 1 / (1 + u^2), brought to 0 at both ends. `place` runs from 0 to 1. */
function passByShape(place: number): number {
  const edge = 1 / (1 + 5 * 5);
  const u = 10 * (place - 0.5);
  return Math.max(0, (1 / (1 + u * u) - edge) / (1 - edge));
}

export function addImpulses(kind: Impulses, seed: number, stepMs: number): Add {
  const shape = perUnitA(kind.spectrum);
  const crest = meanSquareOf(kind.crestDb);
  const slots = new Slots(IMPULSE_SLOT_MS, kind.perHour, seed, (own, slot, place) => ({
    beginMs: (slot + uniform(own, 3 * place)) * IMPULSE_SLOT_MS,
    power: meanSquareOf(seededBetween(kind.levelDbA, own, 3 * place + 1)),
    lengthMs: IMPULSE_LENGTH * seededBetween(kind.decayMs, own, 3 * place + 2),
  }));
  return (window, from, to) => {
    slots.each(window, from, to, stepMs, (event, begin, end) => {
      const decay = event.lengthMs / IMPULSE_LENGTH;
      for (let i = begin; i < end; i++) {
        const open = Math.max(0, (window.first + i) * stepMs - event.beginMs);
        const close = (window.first + i + 1) * stepMs - event.beginMs;
        const start = event.power * Math.exp(-open / decay);
        const mean = ((start - event.power * Math.exp(-close / decay)) * decay) / stepMs;
        addEnergy(window, i, mean, shape);
        raisePeak(window, i, crest * start, shape);
      }
    });
  };
}

type Shape = { readonly A: number; readonly C: number; readonly Z: number };

function addEnergy({ energy }: SoundWindow, i: number, added: number, shape: Shape): void {
  energy.A[i] = (energy.A[i] as number) + added;
  energy.C[i] = (energy.C[i] as number) + added * shape.C;
  energy.Z[i] = (energy.Z[i] as number) + added * shape.Z;
}

/** Peaks of two sounds are taken to add in power: they seldom meet, and the sum is never below the mean square's crest. */
function raisePeak({ peak }: SoundWindow, i: number, added: number, shape: Shape): void {
  peak.A[i] = (peak.A[i] as number) + added;
  peak.C[i] = (peak.C[i] as number) + added * shape.C;
  peak.Z[i] = (peak.Z[i] as number) + added * shape.Z;
}

/** Draws the events of a slot, and keeps those of the last two slots asked for: a memory of values, not of state. */
class Slots {
  readonly #slotMs: number;
  readonly #mean: number;
  readonly #seed: number;
  readonly #draw: Draw;
  readonly #kept = new Map<number, readonly EventDetails[]>();

  constructor(slotMs: number, perHour: number, seed: number, draw: Draw) {
    this.#slotMs = slotMs;
    this.#mean = (perHour * slotMs) / 3_600_000;
    this.#seed = seed;
    this.#draw = draw;
  }

  each(
    window: SoundWindow,
    from: number,
    to: number,
    stepMs: number,
    use: (event: EventDetails, begin: number, end: number) => void,
  ): void {
    const slot = Math.floor((window.first * stepMs) / this.#slotMs);
    for (const near of [slot - 1, slot]) {
      for (const event of this.#eventsOf(near)) {
        const begin = Math.max(from, Math.floor(event.beginMs / stepMs) - window.first);
        const end = Math.min(to, Math.ceil((event.beginMs + event.lengthMs) / stepMs) - window.first);
        if (begin < end) use(event, begin, end);
      }
    }
  }

  #eventsOf(slot: number): readonly EventDetails[] {
    const kept = this.#kept.get(slot);
    if (kept) return kept;
    const own = streamSeed(this.#seed, `${slot}`);
    const count = poisson(this.#mean, uniform(own, -1));
    const events = Array.from({ length: count }, (_, place) => this.#draw(own, slot, place));
    for (const old of this.#kept.keys()) if (Math.abs(old - slot) > 1) this.#kept.delete(old);
    this.#kept.set(slot, events);
    return events;
  }
}
