/** Acts of the plugins of a test, in their order. */
export const journal: string[] = [];
