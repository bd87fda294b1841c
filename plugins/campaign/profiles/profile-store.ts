/** The profiles, and the profile of each unit: read from memory; a change is on the disk before memory shows it. */
import type { KeptOfUnits } from '../../../lib/built-in.ts';
import { type Clock, type Tables, UnitChanges } from '../../../lib/index.ts';
import { ASSIGNED, type AssignedRow, PROFILES } from '../tables.ts';
import { noProfile, type Profile, type ProfileBody } from './profile.ts';

export class ProfileStore implements KeptOfUnits {
  readonly unitTables = [ASSIGNED];
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #changed: (unitId?: string) => void;
  readonly #changes: UnitChanges;
  readonly #profiles = new Map<string, Profile>();
  readonly #assigned = new Map<string, AssignedRow>();

  /** `changed` is called after each change; with a unit if only this unit has changed. */
  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, changed: (unitId?: string) => void) {
    this.#tables = tables;
    this.#clock = clock;
    this.#changed = changed;
    this.#changes = new UnitChanges({
      clock,
      look: async () => {
        await this.load();
        changed();
      },
      remove: (unitIds) => this.#unassign(unitIds),
    });
  }

  async load(): Promise<void> {
    const [profiles, assigned] = await this.#tables.read(async (rows) => [
      await rows.find(PROFILES),
      await rows.find(ASSIGNED),
    ]);
    this.#profiles.clear();
    this.#assigned.clear();
    for (const { body, ...row } of profiles) this.#profiles.set(row.name, { ...body, ...row });
    for (const row of assigned) this.#assigned.set(row.unitId, row);
  }

  /** By name. */
  list(): readonly Profile[] {
    return [...this.#profiles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): Profile | undefined {
    return this.#profiles.get(name);
  }

  /** Errors: PROFILE_NOT_FOUND. */
  get(name: string): Profile {
    const profile = this.#profiles.get(name);
    if (!profile) throw noProfile(name);
    return profile;
  }

  put(name: string, body: ProfileBody): Promise<Profile> {
    return this.#changes.inTurn(async () => {
      const at = this.#clock.now();
      const createdAt = this.#profiles.get(name)?.createdAt ?? at;
      await this.#tables.write((rows) => rows.put(PROFILES, [{ name, body, createdAt, changedAt: at }]));
      const profile = { ...body, name, createdAt, changedAt: at };
      this.#profiles.set(name, profile);
      this.#changed();
      return profile;
    });
  }

  /** Its units then have no profile. Errors: PROFILE_NOT_FOUND. */
  remove(name: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      this.get(name);
      await this.#tables.write(async (rows) => {
        await rows.remove(PROFILES, { name });
        await rows.remove(ASSIGNED, { profile: name });
      });
      this.#profiles.delete(name);
      for (const { unitId, profile } of this.#assigned.values()) if (profile === name) this.#assigned.delete(unitId);
      this.#changed();
    });
  }

  assigned(name?: string): readonly AssignedRow[] {
    return [...this.#assigned.values()].filter(({ profile }) => name === undefined || profile === name);
  }

  assign(unitId: string, profile: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      const row = { unitId, profile, appliedAt: this.#clock.now() };
      await this.#tables.write((rows) => rows.put(ASSIGNED, [row]));
      this.#assigned.set(unitId, row);
      this.#changed(unitId);
    });
  }

  /** Another meter may get the id later. Errors: STORAGE_FULL, STORAGE_FAILED; then it is done later. */
  forget(unitId: string): Promise<void> {
    return this.#changes.forget(unitId, this.#assigned.delete(unitId));
  }

  close(): void {
    this.#changes.close();
  }

  async #unassign(unitIds: readonly string[]): Promise<void> {
    await this.#tables.write((rows) => rows.remove(ASSIGNED, { unitId: unitIds }));
    for (const unitId of unitIds) this.#assigned.delete(unitId);
  }
}
