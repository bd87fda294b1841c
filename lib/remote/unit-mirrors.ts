/** When the gateway is told what changed of which unit: at once where somebody may act on it, and else once a second. */
import type { Clock } from '../clock.ts';
import type { LocalFleet } from '../meter/fleet.ts';
import type { MirroredUnit } from './messages.ts';
import { UnitMirror } from './unit-mirror.ts';

/** What the mirrors of a link need. */
export interface UnitMirrorsParts {
  readonly fleet: LocalFleet;
  readonly clock: Clock;
  readonly tell: (units: readonly (readonly [string, MirroredUnit])[]) => void;
}

const LOOK_MS = 1_000;
/** Units in one message: what is known of one has about 1.5 kB, and a pipe takes 8 MB. */
const AT_ONCE = 1_000;

/** Those of one link. */
export class UnitMirrors {
  readonly #parts: UnitMirrorsParts;
  readonly #mirrors = new Map<string, UnitMirror>();
  /** Units at which something happened since they were last looked at. */
  readonly #touched = new Set<string>();
  /** Those of them that are looked at in this turn. */
  readonly #urgent = new Set<string>();
  #disarm: (() => void) | undefined;
  #isOver = false;

  constructor(parts: UnitMirrorsParts) {
    this.#parts = parts;
  }

  of(unitId: string): UnitMirror {
    const known = this.#mirrors.get(unitId);
    if (known) return known;
    const { fleet, clock } = this.#parts;
    const mirror = new UnitMirror({ unitId, fleet, clock });
    this.#mirrors.set(unitId, mirror);
    return mirror;
  }

  /** The gateway begins anew with this unit. False: nothing was told of it. */
  forget(unitId: string): boolean {
    const known = this.#mirrors.get(unitId);
    known?.forget();
    return known !== undefined;
  }

  /** Tells all that changed of these. */
  all(units: Iterable<string>): void {
    this.#tell(units, (mirror) => mirror.all());
  }

  /** Tells what changed of it that somebody may act on. */
  soon(unitId: string): void {
    this.#tell([unitId], (mirror) => mirror.soon());
  }

  /** Something happened at it: all is told within a second. */
  touch(unitId: string): void {
    if (this.#isOver) return;
    this.#touched.add(unitId);
    this.#disarm ??= this.#parts.clock.after(LOOK_MS, () => this.#look());
  }

  /** All is told with the next `flush`. */
  hurry(unitId: string): void {
    this.#urgent.add(unitId);
  }

  flush(): void {
    const units = [...this.#urgent];
    this.#urgent.clear();
    this.all(units);
    for (const each of units) this.touch(each);
  }

  end(): void {
    this.#isOver = true;
    this.#disarm?.();
  }

  #look(): void {
    this.#disarm = undefined;
    const units = [...this.#touched];
    this.#touched.clear();
    this.all(units);
    // What changes without an event is seen a second later.
    for (const each of units) if (this.of(each).isMoving) this.touch(each);
  }

  #tell(units: Iterable<string>, look: (mirror: UnitMirror) => MirroredUnit | undefined): void {
    if (this.#isOver) return;
    const news: [string, MirroredUnit][] = [];
    for (const unitId of units) {
      const patch = look(this.of(unitId));
      if (patch) news.push([unitId, patch]);
    }
    for (let from = 0; from < news.length; from += AT_ONCE) this.#parts.tell(news.slice(from, from + AT_ONCE));
  }
}
