/** What an instance of several on one database can be for the others: the words of the API. */
export const INSTANCE_STATES = Object.freeze(['has the meters', 'waits', 'silent', 'left'] as const);
/** `silent`: it does not beat any more, and is taken over soon or was. `left`: it was stopped in order. */
export type InstanceState = (typeof INSTANCE_STATES)[number];
