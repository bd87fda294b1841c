/** An endpoint of the control API, and the clock that it may move. Types, and two errors. */
import type { Clock } from '../contract.ts';
import type { MeterControl } from './meter-control.ts';

/** A request, taken apart. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON body; undefined without a body. */
  readonly body: unknown;
  /** The meter that the path names. */
  meter(): MeterControl;
}

/** An endpoint of the control API. */
export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `/meters/{unit}/faults/{id}` */
  readonly path: string;
  readonly about: string;
  handle(call: Call): unknown;
}

/** A clock may have neither: then its time cannot be changed. */
export type Movable = Clock & { speed?: number; advance?(ms: number): Promise<void> };

/** There is no such thing here: 404. */
export class NotHere extends Error {}

/** This simulator cannot do that: 409. */
export class NotPossible extends Error {}

/** A day of 24 hours, ms. */
export const DAY_MS = 86_400_000;
