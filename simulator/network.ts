/**
 * Whether the meter can be reached over its network: the switches of its branch and sleep. Sleep is a setting: with it, a
 * stopped meter that nobody uses falls asleep after a while. It sleeps until a key, the power or its timer wakes it.
 */
import type { Clock } from './contract.ts';
import type { Profile } from './profile.ts';
import type { Settings } from './settings.ts';

/** `refused`: the port is closed. `silent`: nothing answers. */
type PortState = 'served' | 'refused' | 'silent';

interface Parts {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly profile: Profile;
  /** Nothing to sleep for: it is busy, or sleeps at other times only. */
  staysAwake(): boolean;
  turned(): void;
}

export class Network {
  readonly #parts: Parts;
  readonly #address: string;
  #powered = true;
  #asleep = false;
  #cancelSleepTimer = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#address = parts.settings.get('Ethernet IP');
  }

  get powered(): boolean {
    return this.#powered;
  }

  get asleep(): boolean {
    return this.#asleep;
  }

  power(on: boolean): void {
    this.#powered = on;
    this.#asleep = false;
    this.#cancelSleepTimer();
    if (on) this.noteActivity();
  }

  wake(): void {
    const slept = this.#asleep;
    this.#asleep = false;
    this.noteActivity();
    if (slept) this.#parts.turned();
  }

  /** Something happened that keeps a waking meter awake. */
  noteActivity(): void {
    this.#cancelSleepTimer();
    const { clock, profile, settings } = this.#parts;
    if (this.#asleep || !this.#powered || profile.sleep_after_ms === 0 || !settings.isOn('Sleep Mode')) return;
    this.#cancelSleepTimer = clock.after(profile.sleep_after_ms, () => this.#fallAsleep());
  }

  close(): void {
    this.#cancelSleepTimer();
  }

  /** The control port. Web takes the network for itself (guide summary), so does USB. Without Ethernet there is no port. */
  get tcp(): PortState {
    return this.#portState('TCP');
  }

  /** Whether the FTP server is to run; it knows itself how long its start takes. */
  get ftp(): PortState {
    return this.#portState('FTP');
  }

  #portState(service: 'TCP' | 'FTP'): PortState {
    const { settings } = this.#parts;
    if (!this.#powered) return 'refused';
    if (this.#asleep || !this.#onNetwork()) return 'silent';
    return settings.isOn(service) && !settings.isOn('Web') ? 'served' : 'refused';
  }

  #onNetwork(): boolean {
    const { settings } = this.#parts;
    const here = settings.get('Ethernet IP') === this.#address && !settings.isOn('Ethernet DHCP');
    return settings.isOn('Ethernet') && here && settings.get('USB Class') === 'Off';
  }

  /** At the end of a measurement it varies again. */
  #fallAsleep(): void {
    if (this.#parts.staysAwake()) return;
    this.#asleep = true;
    this.#parts.turned();
  }
}
