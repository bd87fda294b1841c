/**
 * Tests of a session that run once more with the session in another instance: the fleet of the test is served over a link, and the
 * test sees what the gateway sees. Commands of a test go over it as settings of a family that are made for them.
 */
import type { Test } from 'tap';
import type { MeterSetting } from '../../../lib/drivers/contract.ts';
import type { Command } from '../../../lib/drivers/wire/contract.ts';
import type { Caller, Meter, Reservation, ReserveOptions } from '../../../lib/meter/contract.ts';
import type { LocalFleet } from '../../../lib/meter/fleet.ts';
import type { CommandReservation, FleetParts } from '../../../lib/meter/parts.ts';
import { RemoteMeters } from '../../../lib/remote/remote-meters.ts';
import { createServedSessions, type ServedFleetParts } from '../../../lib/remote/served.ts';
import { messagePipe } from '../../support/message-pipe.ts';
import { standIn } from '../../support/stand-in.ts';

type Root = Pick<Test, 'test'>;
type Body = (t: Test) => Promise<unknown> | unknown;

const linked = new WeakSet<Test>();

/** Whether this test runs over a link. */
export const isOverLink = (t: Test): boolean => linked.has(t);

/** Each test runs twice. `except`: titles of those that are about what only the session has, each with the reason. */
export function alsoOverLink(root: Root, except: Readonly<Record<string, string>> = {}) {
  return {
    test(title: string, body: Body): void {
      root.test(title, async (t) => void (await body(t)));
      if (Object.hasOwn(except, title)) return;
      root.test(`over a link: ${title}`, async (t) => {
        linked.add(t);
        await body(t);
      });
    },
  };
}

/** A meter that takes commands, as a session does. */
export interface CommandMeter extends Omit<Meter, 'reserve'> {
  run<T>(command: Command<T>, caller: Caller): Promise<T>;
  reserve<T>(
    label: string,
    work: (line: CommandReservation) => Promise<T>,
    caller: Caller,
    options?: ReserveOptions,
  ): Promise<T>;
}

/** The settings of the family of a test, to which each command adds one. */
export class CommandSettings {
  readonly list: MeterSetting[] = [];
  readonly #values = new Map<string, unknown>();

  /** Its name. */
  add(command: Command<unknown>): string {
    const name = `command_${this.list.length}`;
    const send: MeterSetting['read'] = async (sender) => {
      this.#values.set(name, await sender.send(command));
      return 'sent';
    };
    this.list.push({ name, schema: {}, changes: 'always', normal: (value) => value, read: send, write: send });
    return name;
  }

  /** What the command brought. Equal ones share a run. */
  value<T>(name: string): T {
    // Both sides are in this process.
    return this.#values.get(name) as T;
  }
}

interface LinkedParts extends Pick<FleetParts, 'families' | 'clock' | 'log' | 'events'> {
  readonly createFleet: (parts: ServedFleetParts) => LocalFleet;
  readonly configs: ConstructorParameters<typeof RemoteMeters>[0]['configs'];
  readonly settings: CommandSettings;
  readonly requestDeadlineMs: number | undefined;
}

/** The fleet of a test, in another instance. */
export function createLinked({ configs, settings, requestDeadlineMs, createFleet, ...parts }: LinkedParts) {
  const { near, far, line } = messagePipe();
  const served = createServedSessions({ createFleet, ...parts });
  const own = () => served.own(new Set(configs.list().map(({ unitId }) => unitId)));
  configs.onChange(() => void own());
  void own();
  served.attach(far);
  const remote = new RemoteMeters({ pipe: near, configs, ...parts, ...(requestDeadlineMs && { requestDeadlineMs }) });
  const fleet = standIn<LocalFleet>({
    reachability: (unitId: string) => remote.reachability(unitId),
    report: (unitId: string) => remote.report(unitId),
    counters: (unitId: string) => remote.counters(unitId),
    commandGap: (unitId: string) => remote.commandGap(unitId),
    async close() {
      await served.close();
      remote.close('the test is over');
    },
  });
  return { served, remote, fleet, line, meterOf: (unitId: string) => withCommands(remote.meter(unitId), settings) };
}

/** The commands of a test as settings of the meter. */
function withCommands(meter: Meter, settings: CommandSettings): CommandMeter {
  const sent = async <T>(command: Command<T>, by: Pick<Reservation, 'readSetting' | 'writeSetting'>): Promise<T> => {
    const name = settings.add(command);
    if (command.kind === 'setting') await by.writeSetting(name, '');
    else await by.readSetting(name);
    return settings.value<T>(name);
  };
  const within = (reservation: Reservation) =>
    standIn<CommandReservation>({
      get shouldYield() {
        return reservation.shouldYield;
      },
      send: <T>(command: Command<T>) => sent(command, reservation),
    });
  const own: Pick<CommandMeter, 'run' | 'reserve'> = {
    run: (command, caller) =>
      sent(command, {
        readSetting: (name) => meter.readSetting(name, caller),
        writeSetting: (name, value) => meter.writeSetting(name, value, caller),
      }),
    reserve: (label, work, caller, options) =>
      meter.reserve(label, (reservation) => work(within(reservation)), caller, options),
  };
  return new Proxy(meter, {
    get(target, name) {
      const member = Reflect.get(name in own ? own : target, name);
      return typeof member === 'function' ? member.bind(name in own ? own : target) : member;
    },
  }) as Meter & CommandMeter;
}
