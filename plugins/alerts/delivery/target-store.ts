/** The targets: read from memory, on the disk before memory shows a change. Secrets can be set, but are never shown. */
import { GatewayError, type Secrets, type Tables } from '../../../lib/index.ts';
import { DELIVERIES, TARGETS } from './delivery-tables.ts';
import type { Target, TargetBody } from './target.ts';

const secretName = (id: string) => `target-${id}`;

/** The targets; their secrets are sealed in the store of secrets. */
export class TargetStore {
  readonly #tables: Tables;
  readonly #secrets: Secrets;
  readonly #now: () => number;
  readonly #targets = new Map<string, Target>();
  readonly #withSecret = new Set<string>();
  #nextId = 1;

  constructor(tables: Tables, secrets: Secrets, now: () => number) {
    this.#tables = tables;
    this.#secrets = secrets;
    this.#now = now;
  }

  async load(): Promise<void> {
    const [targets, [newest]] = await this.#tables.read(async (rows) => [
      await rows.find(TARGETS, { order: { id: 'asc' } }),
      await rows.find(DELIVERIES, { order: { targetId: 'desc' }, limit: 1 }),
    ]);
    this.#nextId = (newest?.targetId ?? 0) + 1;
    for (const { id, body, createdAt, changedAt } of targets)
      this.#keep({ ...body, id: String(id), createdAt, changedAt });
    for (const id of this.#targets.keys()) if (await this.secret(id)) this.#withSecret.add(id);
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

  create(body: TargetBody, secret: string | undefined): Promise<Target> {
    const at = this.#now();
    return this.#write({ ...body, id: String(this.#nextId++), createdAt: at, changedAt: at }, secret);
  }

  /** Without a secret the present one stays, if the target is of the same kind. */
  async change(id: string, body: TargetBody, secret: string | undefined): Promise<Target> {
    const { createdAt, kind } = this.get(id);
    if (kind !== body.kind) await this.#forget(id);
    return this.#write({ ...body, id, createdAt, changedAt: this.#now() }, secret);
  }

  /** Its waiting messages are removed, too. */
  async remove(id: string): Promise<void> {
    const targetId = Number(id);
    await this.#tables.write(async (rows) => {
      await rows.remove(TARGETS, { id: targetId });
      await rows.remove(DELIVERIES, { targetId, state: 'waiting' });
    });
    this.#targets.delete(id);
    await this.#forget(id);
  }

  async #forget(id: string): Promise<void> {
    await this.#secrets.remove(secretName(id));
    this.#withSecret.delete(id);
  }

  async #write(target: Target, secret: string | undefined): Promise<Target> {
    const { id, createdAt, changedAt, ...body } = target;
    // The secret first: a target without one could send nothing.
    if (secret !== undefined) {
      await this.#secrets.put(secretName(id), secret);
      this.#withSecret.add(id);
    }
    const row = { id: Number(id), body, createdAt, changedAt };
    await this.#tables.write((rows) => rows.put(TARGETS, [row]));
    this.#keep(target);
    return target;
  }

  #keep(target: Target): void {
    this.#targets.set(target.id, target);
    this.#nextId = Math.max(this.#nextId, Number(target.id) + 1);
  }
}
