/** What an instance of several on one database can be for the others: the words of the API. */
export const INSTANCE_STATES = Object.freeze(['active', 'standby', 'silent', 'left'] as const);
/** `silent`: no sign of life for some beats. `left`: it was stopped in order. */
export type InstanceState = (typeof INSTANCE_STATES)[number];
