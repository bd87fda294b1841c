/**
 * Counters of the control connection of each meter: the name in the code, from which the others are made, and the
 * meaning.
 */
export const METER_COUNTERS = {
  bytesSent: 'Bytes sent to the meter on its control connection',
  bytesReceived: 'Bytes received from the meter on its control connection',
  connects: 'Connections opened to the meter',
  connectFailures: 'Connections to the meter that could not be opened',
  commands: 'Commands sent to the meter',
  refused: 'Commands that the meter refused',
  garbled: 'Replies that could not be read',
  timeouts: 'Commands without a reply in time',
  resent: 'Requests sent again on a new connection',
  joined: 'Callers that shared the run of another caller',
  frames: 'Frames of the fast stream',
  framesUnreadable: 'Frames that could not be read and were left out',
} as const;

export const METER_COUNTER_NAMES = Object.keys(METER_COUNTERS) as readonly (keyof typeof METER_COUNTERS)[];

/** Costs and results of one unit. No decision uses them. */
export type Counters = Record<keyof typeof METER_COUNTERS, number>;

export const createCounters = (): Counters =>
  Object.fromEntries(METER_COUNTER_NAMES.map((name) => [name, 0])) as Counters;
