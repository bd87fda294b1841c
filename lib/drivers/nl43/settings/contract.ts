/** A setting of a meter that can be read and set: the words of the API, and how it is done. Types only. */
import type { Command } from '../../contract.ts';

/** What is needed of a meter: a reservation has it (`meter/contract.ts`, `Reservation`). */
export interface Sender {
  send<T>(command: Command<T>): Promise<T>;
}

export interface MeterSetting {
  /** As in the list of all settings: `lp_interval`. */
  readonly name: string;
  /** JSON Schema of its value, which is always text. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The text in the form in which `read` gives it: `300s` is `5m`. Errors: INVALID for what the schema lets pass and no meter can hold. */
  normal(value: string): string;
  /** Errors: as `Reservation.send`. */
  read(sender: Sender): Promise<string>;
  /** The new value, as `read` would give it. Errors: INVALID before anything is sent; as `Reservation.send`. */
  write(sender: Sender, value: string): Promise<string>;
}
