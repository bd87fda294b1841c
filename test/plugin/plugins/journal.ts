/** What the plugins of a test did, in order. */
export const journal: string[] = [];
