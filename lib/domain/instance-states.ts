/** States of an instance among several on one database: the words of the API. */
export const INSTANCE_STATES = Object.freeze(['active', 'standby', 'silent', 'left'] as const);
/** `silent`: no sign of life for some beats. `left`: it was stopped regularly. */
export type InstanceState = (typeof INSTANCE_STATES)[number];
