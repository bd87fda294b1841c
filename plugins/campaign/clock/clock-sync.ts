/**
 * Sets the clock of a meter right. The meter counts whole seconds and takes a time in whole seconds (guide 66132 p.40, second-hand;
 * the form is captured), so the command is sent a little before a second begins, by the time that it needs to arrive.
 *
 *   Clock? --> 06:00:07      rest      Clock,2026/11/21 06:00:11 -->      rest      Clock? --> 06:00:12
 *          ms there and back               arrives as 06:00:11 begins
 */
import {
  cardFiles,
  clockText,
  GatewayError,
  type GatewayEvent,
  type Host,
  isGatewayError,
  nl43,
  type Reservation,
  sleep,
  zones,
} from '../../../lib/index.ts';

/** One reading of the clock of a meter. */
export interface ClockLook {
  /** About when it was read, ms since 1970 UTC. */
  readonly at: number;
  /** What it showed, `2026/11/21 06:00:07`. */
  readonly shown: string;
  /** How far it was ahead of the clocks of the zone, ms. */
  readonly offset: number;
  /** Plus or minus, ms: half of the second that it shows, and half of the time of the request. */
  readonly uncertainty: number;
}

export interface ClockSet {
  readonly before: ClockLook;
  readonly after: ClockLook;
}

const SECOND = 1_000;
/** From one reply to the next command, at least: the meter wants a second, and a little is for the gateway. */
const REST_MS = 1_100;
/** Sent later than this, it is sent again with more time to spare: the rest between commands may be set to more. */
const LATE_MS = 200;
const MOST_TRIES = 3;

export class ClockSync {
  readonly #host: Host;
  /** The last command of each unit, and how long it took from sending to outcome, ms. */
  readonly #last = new Map<string, GatewayEvent<'command'>['data']>();

  constructor(host: Host) {
    this.#host = host;
    host.on('command', ({ unitId, data }) => this.#last.set(unitId, data));
    host.on('config', ({ unitId, data }) => {
      if (data.change === 'removed') this.#last.delete(unitId);
    });
  }

  /** About four seconds. Errors: as `Reservation.send`; DEVICE_WRONG_STATE in words where the meter refuses while it measures. */
  async set(unitId: string, zone: string, reservation: Reservation): Promise<ClockSet> {
    const before = await this.#look(unitId, zone, reservation);
    for (let rest = REST_MS, tries = 1; ; tries += 1) {
      const late = await this.#send(unitId, zone, reservation, rest);
      if (late <= LATE_MS || tries >= MOST_TRIES) break;
      rest += late;
    }
    const after = await this.#look(unitId, zone, reservation);
    for (const { at, offset, uncertainty } of [before, after])
      this.#host.publish(unitId, 'clock', { at, ahead: offset + zones.zoneOffset(zone, at), uncertainty });
    return { before, after };
  }

  /** How much too late it was sent, ms. */
  async #send(unitId: string, zone: string, reservation: Reservation, rest: number): Promise<number> {
    const { clock, signal } = this.#host;
    const way = this.#took(unitId, 'Clock?') / 2;
    const second = Math.ceil((clock.now() + rest + way) / SECOND) * SECOND;
    const sendAt = second - way;
    await sleep(clock, Math.max(0, sendAt - clock.now()), signal);
    const text = clockText(second + zones.zoneOffset(zone, second));
    try {
      await reservation.send(nl43.setClock(text));
    } catch (error) {
      throw refusedWhileMeasuring(error);
    }
    return clock.now() - this.#took(unitId, `Clock,${text}`) - sendAt;
  }

  async #look(unitId: string, zone: string, reservation: Reservation): Promise<ClockLook> {
    const shown = await reservation.send(nl43.clock());
    const look = cardFiles.lookOf(shown, this.#host.clock.now(), this.#took(unitId, 'Clock?'));
    if (!look)
      throw new GatewayError('DEVICE_GARBLED', `The clock of the meter shows ${shown}, which is not a valid time.`);
    return { ...look, shown, offset: look.offset - zones.zoneOffset(zone, look.at) };
  }

  #took(unitId: string, text: string): number {
    const last = this.#last.get(unitId);
    return last?.text === text ? last.ms : 0;
  }
}

function refusedWhileMeasuring(error: unknown): unknown {
  if (!isGatewayError(error, 'DEVICE_WRONG_STATE')) return error;
  const detail =
    'The meter refuses to set its clock in its present state, as it does while it measures. Stop the measurement first. The clock was not changed.';
  return new GatewayError('DEVICE_WRONG_STATE', detail, { cause: error });
}
