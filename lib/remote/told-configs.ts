/** The configs that the gateway has told, of the units that this instance owns: what its fleet follows. */
import { isDeepStrictEqual } from 'node:util';
import { type GatewayError, unknownUnit } from '../errors.ts';
import type { MeterConfig, MeterConfigs } from '../meter/parts.ts';
import type { DeviceConfig } from '../store/contract.ts';
import { notServed } from './link-errors.ts';
import type { KnownUnit } from './messages.ts';

/** One unit as the gateway tells it. */
export interface ToldUnit {
  readonly config: MeterConfig;
  readonly known?: KnownUnit | undefined;
}

type Listener = (unitId: string, config: MeterConfig | undefined) => void;

/** Nothing is told and owned at first. What was told holds until something else is told, also while there is no gateway. */
export class ToldConfigs implements MeterConfigs {
  readonly #told = new Map<string, ToldUnit>();
  readonly #listeners = new Set<Listener>();
  #owned: ReadonlySet<string> = new Set();
  #isTold = false;

  get(unitId: string): MeterConfig | undefined {
    return this.#owned.has(unitId) ? this.#told.get(unitId)?.config : undefined;
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Owned and told. */
  get units(): readonly string[] {
    return [...this.#owned].filter((unitId) => this.#told.has(unitId));
  }

  known(unitId: string): KnownUnit | undefined {
    return this.#told.get(unitId)?.known;
  }

  /** Removed, as the gateway says; not only with another owner. */
  isGone(unitId: string): boolean {
    return this.#isTold && !this.#told.has(unitId);
  }

  /** UNIT_NOT_FOUND for a unit that was removed, else OWNER_CHANGING. */
  missing(unitId: string): GatewayError {
    return this.isGone(unitId) ? unknownUnit(unitId) : notServed(unitId);
  }

  /** The units that are not owned any more, and those that were not owned before. */
  own(units: ReadonlySet<string>): Record<'left' | 'come', readonly string[]> {
    const before = this.#owned;
    const left = [...before].filter((unitId) => !units.has(unitId));
    const come = [...units].filter((unitId) => !before.has(unitId));
    this.#owned = new Set(units);
    for (const unitId of [...left, ...come]) if (this.#told.has(unitId)) this.#tell(unitId);
    return { left, come };
  }

  /** `all`: there are no others. */
  tell(units: readonly ToldUnit[], gone: readonly string[] = [], all = false): void {
    const present = new Set(units.map(({ config }) => config.unitId));
    const removed = all ? [...this.#told.keys()].filter((unitId) => !present.has(unitId)) : gone;
    this.#isTold ||= all;
    for (const unitId of removed) if (this.#told.delete(unitId) && this.#owned.has(unitId)) this.#tell(unitId);
    for (const unit of units) {
      const { unitId } = unit.config;
      const isSame = isDeepStrictEqual(this.#told.get(unitId)?.config, unit.config);
      this.#told.set(unitId, unit);
      if (!isSame && this.#owned.has(unitId)) this.#tell(unitId);
    }
  }

  #tell(unitId: string): void {
    for (const listener of [...this.#listeners]) listener(unitId, this.get(unitId));
  }
}

/** Without credentials, and without what only the gateway needs. */
export const meterConfig = ({
  unitId,
  family,
  host,
  tcpPort,
  tcpEnabled,
  ftpPort,
  timezone,
}: DeviceConfig): MeterConfig => ({
  unitId,
  family,
  host,
  tcpPort,
  tcpEnabled,
  ftpPort,
  timezone,
});
