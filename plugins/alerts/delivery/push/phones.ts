/**
 * The phones are read from memory; a change is on the disk before memory shows it. A phone gets only alerts that its
 * owner may see now. A person or key that is removed loses the rights at once.
 */
import { createHash } from 'node:crypto';
import { invalid } from '../../../../lib/built-in.ts';
import { GatewayError, type Host, reaches, SureChanges, type Tables } from '../../../../lib/index.ts';
import { DELIVERIES, PHONES, type PhoneRow, type Quiet } from '../../tables.ts';

/** The most phones of one person or API key. */
export const MOST_OF_ONE = 10;
/** The most phones of all people together: each has a queue of its own. */
export const MOST_PHONES = 200;

/** The address where a browser accepts messages, and its public keys (RFC 8291): base64url. */
export interface PhoneAddress {
  readonly endpoint: string;
  /** A point of P-256, uncompressed: 65 bytes. */
  readonly p256dh: string;
  /** 16 bytes. */
  readonly auth: string;
}

type PhoneOwner = Pick<PhoneRow, 'owner' | 'person' | 'name' | 'language'>;

interface Parts extends Pick<Host, 'clock' | 'rightsOf' | 'secrets'> {
  readonly tables: Tables;
}

export class Phones {
  readonly #parts: Parts;
  readonly #phones = new Map<number, PhoneRow>();
  #nextId = 1;
  /** One change after the other, so that two at once do not pass a limit together. */
  readonly #changes: SureChanges;
  #changed = (_id: number): void => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#changes = new SureChanges(parts.clock, () => this.#look());
  }

  async load(): Promise<void> {
    await this.#read();
    // If this fails, the next start tries again.
    await this.#changes.inTurn(() => this.#removeAddresses()).catch(() => {});
  }

  async #read(): Promise<void> {
    const [phones, [newest]] = await this.#parts.tables.read(async (rows) => [
      await rows.find(PHONES, { order: { id: 'asc' } }),
      await rows.find(DELIVERIES, { where: { phone: { above: 0 } }, order: { phone: 'desc' }, limit: 1 }),
    ]);
    this.#phones.clear();
    for (const phone of phones) this.#phones.set(phone.id, phone);
    this.#nextId = Math.max(this.#nextId - 1, newest?.phone ?? 0, phones.at(-1)?.id ?? 0) + 1;
  }

  /** Calls with the id of each phone that is new or gone. */
  onChange(changed: (id: number) => void): void {
    this.#changed = changed;
  }

  list(): readonly PhoneRow[] {
    return [...this.#phones.values()];
  }

  find(id: number): PhoneRow | undefined {
    return this.#phones.get(id);
  }

  /** Phones of these people (undefined: of all) whose owners may see the unit (undefined: any). */
  reached(people: readonly string[] | undefined, unitId: string | undefined): readonly PhoneRow[] {
    return this.list().filter(
      (phone) => (people === undefined || people.includes(phone.person)) && this.mayGet(phone, unitId),
    );
  }

  mayGet({ owner }: PhoneRow, unitId: string | undefined): boolean {
    const rights = this.#parts.rightsOf(owner);
    return rights !== undefined && (unitId === undefined || reaches(rights, unitId));
  }

  /** Undefined: the address is lost. */
  async subscriptionOf({ id }: PhoneRow): Promise<PhoneAddress | undefined> {
    const text = await this.#parts.secrets.get(secretName(id));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /**
   * The browser has another address than `replaces`: the phone stays the same, with the new address. Without a new name it
   * keeps its name. Errors: ALERT_NOT_FOUND where nobody, or somebody else, has the old address.
   */
  renew(about: PhoneOwner, subscription: PhoneAddress, replaces: string): Promise<PhoneRow> {
    return this.#changes.inTurn(async () => {
      const { tables, secrets } = this.#parts;
      const [before, digest] = [digestOf(replaces), digestOf(subscription.endpoint)];
      const present = this.list().find((phone) => phone.digest === before && phone.owner === about.owner);
      if (!present) throw noPhone();
      const double = this.list().find((phone) => phone.digest === digest && phone.id !== present.id);
      if (double) await this.#remove(double.id, 'The same browser is another phone now.');
      const service = new URL(subscription.endpoint).origin;
      const kept = { name: about.name || present.name, language: about.language ?? present.language };
      const phone = { ...present, ...about, ...kept, service, digest };
      await secrets.put(secretName(phone.id), JSON.stringify(subscription));
      await tables.write((rows) => rows.put(PHONES, [phone]));
      this.#phones.set(phone.id, phone);
      return phone;
    });
  }

  /** The same browser is the same phone, with its new owner and name. Errors: INVALID where there are too many phones. */
  add(about: PhoneOwner, subscription: PhoneAddress): Promise<PhoneRow> {
    return this.#changes.inTurn(async () => {
      const { tables, secrets, clock } = this.#parts;
      const { endpoint } = subscription;
      const digest = digestOf(endpoint);
      const present = this.list().find((phone) => phone.digest === digest);
      if (present?.owner !== about.owner) this.#checkRoom(about.owner, present !== undefined);
      const kept = present?.owner === about.owner ? present : undefined;
      const since = {
        createdAt: kept?.createdAt ?? clock.now(),
        takenAt: kept?.takenAt ?? null,
        quiet: kept?.quiet ?? [],
      };
      // With another owner it becomes another phone: messages that wait for the former owner are not for the new owner.
      if (present && !kept) await this.#remove(present.id, 'Somebody else has subscribed with this browser.');
      const phone = { id: kept?.id ?? this.#nextId++, ...about, service: new URL(endpoint).origin, digest, ...since };
      await secrets.put(secretName(phone.id), JSON.stringify(subscription));
      await tables.write((rows) => rows.put(PHONES, [phone]));
      this.#phones.set(phone.id, phone);
      if (!kept) this.#changed(phone.id);
      return phone;
    });
  }

  /** `why` becomes the outcome of the messages that wait for the phone. */
  remove(id: number, why: string): Promise<void> {
    return this.#changes.inTurn(() => this.#remove(id, why));
  }

  taken(id: number): Promise<void> {
    return this.#change(id, (phone) => ({ ...phone, takenAt: this.#parts.clock.now() }));
  }

  /** The phone gets no messages about a rule at a unit until then. Messages that wait already, or come meanwhile, are sent afterwards. */
  async quiet(id: number, quiet: Quiet): Promise<void> {
    const now = this.#parts.clock.now();
    await this.#change(id, (phone) => ({
      ...phone,
      quiet: [...phone.quiet.filter((other) => other.until > now && !isAbout(other, quiet)), quiet],
    }));
    await this.#parts.tables.write(async (rows) => {
      const waiting = await rows.find(DELIVERIES, { where: { phone: id, state: 'waiting' } });
      const own = waiting.filter(({ event }) => event.rule === String(quiet.ruleId) && event.unit_id === quiet.unitId);
      await rows.put(
        DELIVERIES,
        own.map((row) => ({ ...row, notBefore: Math.max(row.notBefore, quiet.until) })),
      );
    });
  }

  /** The end of a phone's quiet time for a rule at a unit; `now` if it is not quiet. ms since 1970 UTC. */
  quietUntil({ quiet }: PhoneRow, about: Pick<Quiet, 'ruleId' | 'unitId'>, now: number): number {
    return Math.max(now, quiet.find((one) => isAbout(one, about))?.until ?? now);
  }

  close(): void {
    this.#changes.close();
  }

  async #look(): Promise<void> {
    const before = new Set(this.#phones.keys());
    await this.#read();
    for (const id of new Set([...before, ...this.#phones.keys()]))
      if (!before.has(id) || !this.#phones.has(id)) this.#changed(id);
    await this.#removeAddresses();
  }

  async #removeAddresses(): Promise<void> {
    const kept = new Set(this.list().map(({ id }) => secretName(id)));
    for (const name of await this.#parts.secrets.names())
      if (name.startsWith(SECRET_NAME) && !kept.has(name)) await this.#parts.secrets.remove(name);
  }

  #checkRoom(owner: string, isInPlace: boolean): void {
    const own = this.list().filter((phone) => phone.owner === owner).length;
    if (own >= MOST_OF_ONE)
      throw invalid([
        { path: '', message: `you have ${own} phones that get alerts, which is the limit: remove one of them` },
      ]);
    if (!isInPlace && this.#phones.size >= MOST_PHONES)
      throw invalid([
        { path: '', message: `there are ${MOST_PHONES} phones that get alerts, which is the limit: remove some` },
      ]);
  }

  async #remove(id: number, why: string): Promise<void> {
    const { tables, secrets, clock } = this.#parts;
    const ended = { state: 'failed', endedAt: clock.now(), outcome: why } as const;
    await tables.write(async (rows) => {
      await rows.remove(PHONES, { id });
      await rows.change(DELIVERIES, { phone: id, state: 'waiting' }, ended);
    });
    this.#phones.delete(id);
    this.#changed(id);
    await secrets.remove(secretName(id));
  }

  #change(id: number, next: (phone: PhoneRow) => PhoneRow): Promise<void> {
    return this.#changes.inTurn(async () => {
      const present = this.#phones.get(id);
      if (!present) return;
      const phone = next(present);
      await this.#parts.tables.write((rows) => rows.put(PHONES, [phone]));
      this.#phones.set(id, phone);
    });
  }
}

/** The phone that must be there. Errors: ALERT_NOT_FOUND. */
export const noPhone = (): GatewayError => new GatewayError('ALERT_NOT_FOUND', 'There is no such phone.');

const digestOf = (endpoint: string): string => createHash('sha256').update(endpoint).digest('base64url');
const SECRET_NAME = 'phone-';
const secretName = (id: number): string => `${SECRET_NAME}${id}`;
const isAbout = (one: Pick<Quiet, 'ruleId' | 'unitId'>, other: Pick<Quiet, 'ruleId' | 'unitId'>): boolean =>
  one.ruleId === other.ruleId && one.unitId === other.unitId;
