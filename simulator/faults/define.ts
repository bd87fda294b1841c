/** The definition of one kind of fault: its entry in the catalogue, and the parts of the meter that it may use. */
import { type Evidence, evidence, type Grade } from '../../lib/drivers/nl43/spec/commands.ts';
import type { Clock } from '../contract.ts';
import type { Random } from '../random.ts';
import type { Fault, FaultParts } from './contract.ts';
import { readSettings, type Schema, type SettingsOf } from './settings.ts';

/** Tools of a fault at work. */
export interface FaultHost extends Pick<FaultParts, 'cut' | 'say' | 'powerCycle' | 'portChanged'> {
  readonly clock: Clock;
  /** Chance of its own, from the seed of the meter and the number of the fault. */
  readonly random: Random;
  /** The fault is over and leaves the board. */
  over(): void;
}

/**
 * - `by reply`: decided for every single reply (and frame)
 * - `by connection`: decided for every single connection; conditions about commands do not apply
 * - `lasting`: comes into force once and stays
 */
type Works = 'by reply' | 'by connection' | 'lasting';

/** A kind of fault as the control API lists it. */
export interface CatalogueEntry {
  readonly name: string;
  /** One sentence: what a client meets. */
  readonly summary: string;
  readonly works: Works;
  readonly settings: Schema;
  readonly evidence: Evidence;
  /** Throws a TypeError on a wrong setting. */
  read(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** `settings` as `read` gave them. */
  create(settings: Readonly<Record<string, unknown>>, host: FaultHost): Fault;
}

interface Definition<S extends Schema> {
  readonly name: string;
  readonly summary: string;
  readonly works: Works;
  readonly settings: S;
  readonly evidence: readonly [Grade, string];
  create(settings: SettingsOf<S>, host: FaultHost): Fault;
}

/** `works` gets checked settings and answers with the fault itself. */
export function defineFault<const S extends Schema>(definition: Definition<S>): CatalogueEntry {
  const { name, summary, settings, works } = definition;
  const read = (given: Readonly<Record<string, unknown>>) => readSettings(name, settings, given);
  return Object.freeze({
    name,
    summary,
    works,
    settings,
    evidence: evidence(...definition.evidence),
    read,
    create: (given: Readonly<Record<string, unknown>>, host: FaultHost) => definition.create(read(given), host),
  });
}
