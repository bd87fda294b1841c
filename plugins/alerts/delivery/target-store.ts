/** The targets. Their secrets can be set, but are never shown: the store of secrets keeps them encrypted. */
import type { Clock, Secrets, Tables } from '../../../lib/index.ts';
import { NumberedStore } from '../numbered-store.ts';
import { DELIVERIES, TARGETS } from '../tables.ts';
import type { Target, TargetBody } from './target.ts';

const secretName = (id: string) => `target-${id}`;

export class TargetStore extends NumberedStore<TargetBody> {
  readonly #secrets: Secrets;
  readonly #withSecret = new Set<string>();
  /** Targets whose removal goes on. Their secrets are removed after them. */
  readonly #leaving = new Set<string>();

  constructor(tables: Tables, clock: Pick<Clock, 'now' | 'after'>, secrets: Secrets) {
    super(tables, clock, {
      noun: 'target',
      table: TARGETS,
      async lastNamed(rows) {
        const [newest] = await rows.find(DELIVERIES, { order: { targetId: 'desc' }, limit: 1 });
        return newest?.targetId;
      },
    });
    this.#secrets = secrets;
  }

  override async load(): Promise<void> {
    await super.load();
    this.#withSecret.clear();
    for (const { id } of this.list()) if (await this.secret(id)) this.#withSecret.add(id);
  }

  hasSecret(id: string): boolean {
    return this.#withSecret.has(id);
  }

  secret(id: string): Promise<string | undefined> {
    return this.#secrets.get(secretName(id));
  }

  /** Errors: STORAGE_FULL, STORAGE_FAILED. */
  async create(body: TargetBody, secret: string | undefined): Promise<Target> {
    // If the gateway ended during a removal, a secret with this id may be left.
    const [target] = await this.add([body], (id) => (secret === undefined ? this.#forget(id) : this.#put(id, secret)));
    return target as Target;
  }

  /** Without a secret the present secret stays, if the target is of the same kind. Errors: ALERT_NOT_FOUND, STORAGE_FULL, STORAGE_FAILED. */
  change(id: string, body: TargetBody, secret: string | undefined): Promise<Target> {
    return this.replace(id, body, async (present) => {
      if (present.kind !== body.kind) await this.#forget(id);
      if (secret !== undefined) await this.#put(id, secret);
    });
  }

  /** Its waiting messages are removed, too. Errors: as `change`. */
  async remove(id: string): Promise<void> {
    this.#leaving.add(id);
    await this.drop(id, (rows) => rows.remove(DELIVERIES, { targetId: Number(id), state: 'waiting' }));
    await this.changes.inTurn(() => this.#forgetGone());
  }

  protected override async look(): Promise<void> {
    await super.look();
    await this.#forgetGone();
  }

  async #forgetGone(): Promise<void> {
    for (const id of this.#leaving) {
      if (!this.find(id)) await this.#forget(id);
      this.#leaving.delete(id);
    }
  }

  async #forget(id: string): Promise<void> {
    await this.#secrets.remove(secretName(id));
    this.#withSecret.delete(id);
  }

  async #put(id: string, secret: string): Promise<void> {
    await this.#secrets.put(secretName(id), secret);
    this.#withSecret.add(id);
  }
}
