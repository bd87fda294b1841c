/** What can go wrong in a random schedule of a cluster. */

export const FAULTS = ['kill', 'pause', 'sleep', 'jump', 'cut', 'deaf', 'apart', 'away', 'drain'] as const;
/** Of a kind of schedules of its own, so that the seeds of the others stay: a member is removed, whether it is gone or not. */
export const MORE_FAULTS = [...FAULTS, 'remove', 'remove', 'remove', 'remove'] as const;

/** Of another kind: the gateway does not reach a host for some time, or not until the end. */
export const UNREACHED = [...FAULTS, 'unreached', 'unreached', 'unreached', 'unreached'] as const;

/** Of another kind: a standby becomes the database, with all changes or without the last ones. */
export const FAILOVERS = [...FAULTS, 'failover', 'failover', 'failover', 'failover'] as const;

/** From which each fault is taken. */
export type Faults = readonly (
  | (typeof MORE_FAULTS)[number]
  | (typeof UNREACHED)[number]
  | (typeof FAILOVERS)[number]
)[];
