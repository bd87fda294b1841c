/**
 * Where the database of several instances has gone back in time (it was restored from a backup, or another server without its last
 * changes took over), nobody knows who had the meters in the time that was lost. They belong to this member then, which gives no sign of
 * life: it is taken over as any other that is silent, and by then the lease of whoever had them is over.
 */
export const FORMER_OWNER = Object.freeze({
  id: 'former owner',
  name: 'no instance for about a minute, because the database was restored or has another server,',
});
/** Closed fences get epochs that nobody had in the time that was lost. */
export const EPOCHS_LOST = 1_000;
