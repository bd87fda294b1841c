/** The targets are read from memory; a change is on the disk before memory shows it. Secrets can be set, but are never shown. */
import { type Clock, GatewayError, type Secrets, SureChanges, type Tables } from '../../../lib/index.ts';
import { DELIVERIES, TARGETS } from './delivery-tables.ts';
import type { Target, TargetBody } from './target.ts';

const secretName = (id: string) => `target-${id}`;

/** The targets; the store of secrets keeps their secrets encrypted. */
export class TargetStore {
  readonly #tables: Tables;
  readonly #secrets: Secrets;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #targets = new Map<string, Target>();
  readonly #withSecret = new Set<string>();
  /** Targets whose removal goes on. Their secrets are removed after them. */
  readonly #leaving = new Set<string>();
  readonly #changes: SureChanges;
  #nextId = 1;
  #changed = (_id: string): void => {};

  constructor(tables: Tables, secrets: Secrets, clock: Pick<Clock, 'now' | 'after'>) {
    this.#tables = tables;
    this.#secrets = secrets;
    this.#clock = clock;
    this.#changes = new SureChanges(clock, () => this.#look());
  }

  async load(): Promise<void> {
    const [targets, [newest]] = await this.#tables.read(async (rows) => [
      await rows.find(TARGETS, { order: { id: 'asc' } }),
      await rows.find(DELIVERIES, { order: { targetId: 'desc' }, limit: 1 }),
    ]);
    const withSecret: string[] = [];
    for (const { id } of targets) if (await this.secret(String(id))) withSecret.push(String(id));
    this.#nextId = Math.max(this.#nextId, (newest?.targetId ?? 0) + 1);
    this.#targets.clear();
    this.#withSecret.clear();
    for (const { id, body, createdAt, changedAt } of targets)
      this.#keep({ ...body, id: String(id), createdAt, changedAt });
    for (const id of withSecret) this.#withSecret.add(id);
  }

  /** Calls with the id of each target that is new, has changed or is gone. */
  onChange(changed: (id: string) => void): void {
    this.#changed = changed;
  }

  hasSecret(id: string): boolean {
    return this.#withSecret.has(id);
  }

  list(): readonly Target[] {
    return [...this.#targets.values()];
  }

  find(id: string): Target | undefined {
    return this.#targets.get(id);
  }

  /** Errors: ALERT_NOT_FOUND. */
  get(id: string): Target {
    const target = this.#targets.get(id);
    if (!target) throw new GatewayError('ALERT_NOT_FOUND', `There is no target ${id}.`);
    return target;
  }

  secret(id: string): Promise<string | undefined> {
    return this.#secrets.get(secretName(id));
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED. */
  create(body: TargetBody, secret: string | undefined): Promise<Target> {
    return this.#changes.inTurn(async () => {
      const at = this.#clock.now();
      // If the gateway ended during a removal, a secret with this id may be left.
      if (secret === undefined) await this.#forget(String(this.#nextId));
      return this.#write({ ...body, id: String(this.#nextId++), createdAt: at, changedAt: at }, secret);
    });
  }

  /** Without a secret the present secret stays, if the target is of the same kind. Errors: ALERT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  change(id: string, body: TargetBody, secret: string | undefined): Promise<Target> {
    return this.#changes.inTurn(async () => {
      const { createdAt, changedAt, kind } = this.get(id);
      if (kind !== body.kind) await this.#forget(id);
      // Later than before, also if the wall clock was set back: this time tells versions apart.
      return this.#write({ ...body, id, createdAt, changedAt: Math.max(this.#clock.now(), changedAt + 1) }, secret);
    });
  }

  /** Its waiting messages are removed, too. Errors: ALERT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  remove(id: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      const targetId = Number(this.get(id).id);
      this.#leaving.add(id);
      await this.#tables.write(async (rows) => {
        await rows.remove(TARGETS, { id: targetId });
        await rows.remove(DELIVERIES, { targetId, state: 'waiting' });
      });
      this.#targets.delete(id);
      this.#changed(id);
      await this.#forgetGone();
    });
  }

  /** Stops following changes. */
  close(): void {
    this.#changes.close();
  }

  async #look(): Promise<void> {
    const before = new Map(this.#targets);
    await this.load();
    for (const id of new Set([...before.keys(), ...this.#targets.keys()]))
      if (before.get(id)?.changedAt !== this.#targets.get(id)?.changedAt) this.#changed(id);
    await this.#forgetGone();
  }

  async #forgetGone(): Promise<void> {
    for (const id of this.#leaving) {
      if (!this.#targets.has(id)) await this.#forget(id);
      this.#leaving.delete(id);
    }
  }

  async #forget(id: string): Promise<void> {
    await this.#secrets.remove(secretName(id));
    this.#withSecret.delete(id);
  }

  async #write(target: Target, secret: string | undefined): Promise<Target> {
    const { id, createdAt, changedAt, ...body } = target;
    // The secret is written first: a target without its secret could send nothing.
    if (secret !== undefined) {
      await this.#secrets.put(secretName(id), secret);
      this.#withSecret.add(id);
    }
    const row = { id: Number(id), body, createdAt, changedAt };
    await this.#tables.write((rows) => rows.put(TARGETS, [row]));
    this.#keep(target);
    this.#changed(target.id);
    return target;
  }

  #keep(target: Target): void {
    this.#targets.set(target.id, target);
    this.#nextId = Math.max(this.#nextId, Number(target.id) + 1);
  }
}
