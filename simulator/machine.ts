/**
 * The meter behind the wire: settings, measurement, store, clock and network, and how they depend on each other. Decides by
 * the state; knows nothing of bytes and connections. The effects of commands are in `changes.ts`, the answers to requests in `requests.ts`.
 */

import { CardProblem } from './card/index.ts';
import type { Block, Card, Clock, Instrument, OpenStore, StoreLabel } from './contract.ts';
import { DeviceTime } from './device-time.ts';
import { Measurement } from './measurement.ts';
import { Network } from './network.ts';
import type { Profile } from './profile.ts';
import { Settings } from './settings.ts';
import { TimerAuto } from './timer-auto.ts';

interface MachineParts {
  readonly clock: Clock;
  readonly instrument: Instrument;
  readonly card: Card;
  readonly profile: Profile;
  readonly model: 'NL-43' | 'NL-53';
  readonly serial: string;
  note(kind: 'state' | 'power', text: string): void;
  /** Control port or FTP may be reached otherwise than before. */
  networkChanged(): void;
}

export class Machine {
  readonly parts: MachineParts;
  readonly settings: Settings;
  readonly time: DeviceTime;
  readonly measurement: Measurement;
  readonly network: Network;
  readonly timer: TimerAuto;
  readonly busyPeriod: BusyPeriod;
  battery = 'Full';
  powerSource: Profile['power_source'];
  readonly #bornAt: number;
  #endStore = () => {};

  constructor(parts: MachineParts) {
    const { clock, instrument, profile } = parts;
    this.parts = parts;
    this.#bornAt = clock.elapsed();
    this.settings = new Settings(profile);
    this.time = new DeviceTime(clock, profile.clock_offset_s * 1_000, profile.clock_drift_ppm);
    this.powerSource = profile.power_source;
    this.measurement = new Measurement({
      clock,
      instrument,
      refreshMs: profile.display_refresh_ms,
      uptime: () => this.uptime(),
      ended: () => this.#ended(),
    });
    this.network = new Network({
      clock,
      settings: this.settings,
      profile,
      staysAwake: () => this.#staysAwake(),
      turned: () => this.#turned(),
    });
    this.busyPeriod = new BusyPeriod(clock);
    this.timer = new TimerAuto({
      clock,
      settings: this.settings,
      time: this.time,
      profile,
      measuring: () => this.occupied,
      begin: (longestMs) => this.#beginByTimer(longestMs),
      end: () => this.measurement.stop(),
    });
    instrument.configure(this.settings.instrument);
  }

  /** ms on the axis that the instrument is moved along. */
  uptime(): number {
    return this.parts.clock.elapsed() - this.#bornAt;
  }

  /** It measures, is about to or stores: no time for much else. */
  get occupied(): boolean {
    return this.measurement.running || this.busyPeriod.active;
  }

  /** Begins a measurement after the delay that is set. False if it should begin at once and cannot. */
  launch(): boolean {
    const { profile } = this.parts;
    const delayMs = profile.store_delay === 'kept' ? 0 : Number(this.settings.get('Store Delay Time')) * 1_000;
    if (delayMs === 0) return this.begin();
    this.parts.note('state', 'delayed');
    this.busyPeriod.begin(delayMs, () => this.#beginUnasked(), { cancellable: true });
    return true;
  }

  /**
   * Begins a measurement, in Auto mode with its store, that lasts at most this long, ms. False if the card or its contents
   * forbid it.
   */
  begin(longestMs = Number.POSITIVE_INFINITY): boolean {
    const { instrument } = this.parts;
    const label = this.label(this.time.now());
    const store = label.mode === 'Auto' ? this.#openStore(label) : null;
    if (store === 'refused') return false;
    this.measurement.advance();
    instrument.configure(label.setup);
    this.measurement.start(Math.min(longestMs, this.settings.measurementMs));
    if (store) this.#endStore = fillAutoStore(store, instrument, label, (uptime) => this.#deviceTimeAt(uptime));
    this.parts.note('state', 'measuring');
    return true;
  }

  /** Name of the store of a measurement that began then (device time, ms). */
  label(startedAt = this.#deviceTimeAt(this.measurement.startedAt)): StoreLabel {
    const { settings } = this;
    const { profile } = this.parts;
    return {
      mode: settings.storeMode,
      storeName: Number(settings.get('Store Name')),
      indexNumber: Number(settings.get('Index Number')),
      address: Number(settings.get('Manual Address')),
      startedAt,
      model: this.parts.model,
      serial: this.parts.serial,
      setup: settings.instrument,
      lpIntervalMs: settings.lpIntervalMs,
      leqIntervalMs: settings.leqIntervalMs,
      form: {
        additional: profile.additional_values === 'on',
        columns: profile.rnd_columns,
        layout: profile.rnd_layout,
        lastComma: profile.rnd_last_comma,
        memo: profile.rnd_memo === 'Shift-JIS',
        cut: profile.rnd_growing === 'full sectors',
      },
    };
  }

  /** Connections die with it (the listener's part), measured values are lost, settings stay. */
  powerOff(): void {
    this.measurement.advance();
    this.busyPeriod.end();
    this.measurement.forget();
    this.network.power(false);
    this.timer.power(false);
    this.parts.note('power', 'off');
    this.parts.networkChanged();
  }

  powerOn(): void {
    this.network.power(true);
    this.timer.power(true);
    this.parts.note('power', 'on');
    this.parts.networkChanged();
  }

  close(): void {
    this.measurement.close();
    this.busyPeriod.end();
    this.timer.close();
    this.network.close();
    this.#endStore();
  }

  #beginByTimer(longestMs: number): void {
    this.network.wake();
    this.#beginUnasked(longestMs);
  }

  /** Here no client can get an error about a card that is missing or full. */
  #beginUnasked(longestMs?: number): void {
    if (!this.begin(longestMs)) this.parts.note('state', 'not begun: no room on the card');
  }

  #staysAwake(): boolean {
    if (this.occupied) return true;
    return this.parts.profile.sleep_when === 'between timer measurements' && !this.timer.waiting;
  }

  #openStore(label: StoreLabel): OpenStore | 'refused' {
    const { card, profile } = this.parts;
    const taken = card.exists(label.mode, label.storeName, label.address);
    if (taken && profile.auto_overwrite === 'refuse') return 'refused';
    return unlessCardProblem(() => card.openAuto(label));
  }

  #deviceTimeAt(uptime: number): number {
    return this.time.at(this.#bornAt + uptime);
  }

  #ended(): void {
    this.#endStore();
    this.#endStore = () => {};
    this.timer.ended();
    if (this.#nameAdvances()) this.#nextStoreName();
    this.network.noteActivity();
    this.parts.note('state', 'stopped');
  }

  #turned(): void {
    this.parts.note('power', this.network.asleep ? 'asleep' : 'awake');
    this.parts.networkChanged();
  }

  #nameAdvances(): boolean {
    const { profile } = this.parts;
    const mode = this.settings.get('Store Mode');
    return mode === 'Timer Auto' ? profile.timer_name_advances : mode === 'Auto' && profile.store_name_advances;
  }

  #nextStoreName(): void {
    const next = (Number(this.settings.get('Store Name')) + 1) % 10_000;
    const padded = this.parts.profile.number_padding === 'padded';
    this.settings.set('Store Name', padded ? String(next).padStart(4, '0') : String(next));
  }
}

/** For a while a stopped meter can do nothing else: a start waits for its delay, or a store is being written. */
class BusyPeriod {
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;
  #cancellable = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get active(): boolean {
    return this.#cancel !== null;
  }

  /** `over` is called after `ms`, at once where that is 0. */
  begin(ms: number, over: () => void, { cancellable = false } = {}): void {
    this.end();
    if (ms === 0) {
      over();
      return;
    }
    this.#cancellable = cancellable;
    this.#cancel = this.#clock.after(ms, () => {
      this.#cancel = null;
      over();
    });
  }

  /** Cancels what waits. False if nothing can be cancelled. */
  cancel(): boolean {
    const waits = this.#cancellable && this.active;
    if (waits) this.end();
    return waits;
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}

/** Fills the store until the disposer is called. `deviceTimeAt` turns uptime into device time, ms. */
function fillAutoStore(
  store: OpenStore,
  instrument: Instrument,
  label: StoreLabel,
  deviceTimeAt: (uptime: number) => number,
): () => void {
  const rows = (periodMs: number | null, write: (block: Block, deviceTime: number) => void) =>
    periodMs === null ? () => {} : instrument.onBlock(periodMs, (block) => write(block, deviceTimeAt(block.from)));
  const endLp = rows(label.lpIntervalMs, (block, time) => store.lp(block, time));
  const endLeq = rows(label.leqIntervalMs, (block, time) => store.leq(block, time));
  return () => {
    endLp();
    endLeq();
    store.close();
  };
}

/** Without a card, or without room on it, nothing can be stored: R+0004 (inferred). */
export function unlessCardProblem<T>(store: () => T): T | 'refused' {
  try {
    return store();
  } catch (error) {
    if (error instanceof CardProblem) return 'refused';
    throw error;
  }
}
