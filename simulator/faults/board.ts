/**
 * The faults of one meter: switched on and off while it runs, asked by its listener in the order of switching on. Knows no
 * kind of fault and no socket.
 */

import type { FaultBoard, When } from '../contract.ts';
import { type FtpBehaviour, ftpBehaviour } from '../ftp/behaviour.ts';
import { seeded } from '../random.ts';
import { Active, checkWhen, Schedule, shown } from './active.ts';
import { CATALOGUE } from './catalogue.ts';
import type { Admission, CommandContext, Emission, FaultParts, WireFaults } from './contract.ts';
import type { CatalogueEntry } from './define.ts';

export const createFaultBoard = (parts: FaultParts): FaultBoard & WireFaults => new Board(parts);

class Board implements FaultBoard, WireFaults {
  readonly #parts: FaultParts;
  /** The FTP side without faults. */
  readonly #behaviour: FtpBehaviour;
  readonly #numbers = new WeakMap<CommandContext, number>();
  #faults: readonly Active[] = [];
  #made = 0;
  #commands = 0;
  #portClosed = false;

  constructor(parts: FaultParts) {
    this.#parts = parts;
    this.#behaviour = ftpBehaviour(parts.behaviour);
  }

  on(kind: string, settings: Readonly<Record<string, unknown>> = {}, when: When = {}): string {
    const entry = find(kind);
    const read = entry.read(settings);
    checkWhen(when);
    refuseCommands(entry, when);
    const number = ++this.#made;
    const fault = this.#make(entry, `${kind}-${number}`, read, new Schedule({ ...when }, this.#chance(number, 1)));
    this.#faults = [...this.#faults, fault];
    this.#parts.note(`${fault.id} on`);
    fault.start(entry.create(read, this.#host(fault, number)));
    return fault.id;
  }

  off(id: string): boolean {
    const fault = this.#faults.find((one) => one.id === id);
    if (!fault) return false;
    this.#faults = this.#faults.filter((one) => one !== fault);
    fault.stop();
    this.#parts.note(`${id} off`);
    this.#turned();
    return true;
  }

  clear(): void {
    for (const { id } of this.#faults) this.off(id);
  }

  get active() {
    return this.#faults.map((fault) => fault.description);
  }

  get portClosed(): boolean {
    return this.#portClosed;
  }

  get slotFreeDelayMs(): number {
    const delays = this.#faults.filter((active) => active.inForce).map(({ fault }) => fault.slotFreeDelayMs ?? 0);
    return Math.max(0, ...delays);
  }

  get keepsPlace(): boolean {
    return this.#faults.some((active) => active.inForce && active.fault.keepsPlace);
  }

  admit(connection: number): Admission {
    for (const active of this.#faults) {
      const admission = active.worksHere() ? active.fault.admit?.(connection) : undefined;
      if (admission === undefined || admission === 'serve') continue;
      active.fired(`connection ${connection}`);
      return admission;
    }
    return 'serve';
  }

  refusal(context: CommandContext) {
    const number = this.#number(context);
    for (const active of this.#faults) {
      if (!active.fault.refusal || !active.worksOn(context, number)) continue;
      const refusal = active.fault.refusal(context);
      if (!refusal) continue;
      active.fired(shown(context));
      return refusal;
    }
    return null;
  }

  incoming(bytes: Uint8Array, connection: number): Uint8Array | null {
    let left: Uint8Array | null = bytes;
    for (const active of this.#faults) {
      if (!left || !active.fault.incoming || !active.worksHere()) continue;
      left = active.fault.incoming(left, connection);
    }
    return left;
  }

  outgoing(emissions: readonly Emission[], context: CommandContext, frame: boolean): readonly Emission[] {
    const number = this.#number(context);
    let list = emissions;
    for (const active of this.#faults) {
      if (!frame) active.note(context, number);
      if (!active.fault.outgoing || !active.worksOn(context, number)) continue;
      const changed = active.fault.outgoing(list, context, frame);
      if (changed !== list) active.fired(frame ? '' : shown(context));
      list = changed;
    }
    return list;
  }

  powerCycled(): void {
    for (const { fault } of this.#faults) fault.powerCycled?.();
  }

  close(): void {
    for (const fault of this.#faults) fault.stop();
    this.#faults = [];
  }

  #make(entry: CatalogueEntry, id: string, settings: Readonly<Record<string, unknown>>, schedule: Schedule): Active {
    return new Active({
      id,
      entry,
      settings,
      schedule,
      clock: this.#parts.clock,
      baseline: this.#commands,
      note: (text) => this.#parts.note(text),
      turned: () => this.#turned(),
    });
  }

  #host(active: Active, number: number) {
    const { clock, cut, say, powerCycle } = this.#parts;
    return {
      clock,
      cut,
      say,
      powerCycle,
      portChanged: () => this.#turned(),
      random: this.#chance(number, 2),
      over: () => void this.off(active.id),
    };
  }

  /** Every fault has its own random numbers, so that a further fault does not change the others. */
  #chance(number: number, use: number) {
    return seeded(Math.imul(this.#parts.seed + 1, 0x9e3779b1) ^ Math.imul(number * 4 + use, 0x85ebca6b));
  }

  /** Commands that are answered, counted over the life of the board; 0 if there is no command. */
  #number(context: CommandContext): number {
    if (context.command === 0) return 0;
    const known = this.#numbers.get(context);
    if (known !== undefined) return known;
    this.#commands += 1;
    this.#numbers.set(context, this.#commands);
    return this.#commands;
  }

  #turned(): void {
    const inForce = this.#faults.filter((active) => active.inForce).map(({ fault }) => fault);
    Object.assign(this.#parts.behaviour, this.#behaviour, ...inForce.map(({ ftp }) => ftp ?? {}));
    const closed = inForce.some(({ closesPort }) => closesPort);
    if (closed === this.#portClosed) return;
    this.#portClosed = closed;
    this.#parts.portChanged();
  }
}

function find(kind: string): CatalogueEntry {
  const entry = Object.hasOwn(CATALOGUE, kind) ? CATALOGUE[kind] : undefined;
  if (entry) return entry;
  throw new TypeError(`no fault is called ${JSON.stringify(kind)}; there are ${Object.keys(CATALOGUE).join(', ')}`);
}

function refuseCommands(entry: CatalogueEntry, { commands, matching }: When): void {
  if (entry.works !== 'by connection' || (commands === undefined && matching === undefined)) return;
  throw new TypeError(`${entry.name} is decided for every connection: when takes fromMs, untilMs, probability, times`);
}
