/** How the gateway role and the units of the configs stand in the store of a cluster. */

/** The row of the gateway role: its owner has configs, history and plugins, and says which units there are. What has no row of its own is its, too. */
export const GATEWAY_ROLE = 'meters';

const PREFIX = 'unit:';

/** The row of a unit. */
export const unitRow = (unitId: string): string => `${PREFIX}${unitId}`;

/** The unit of a row; undefined for that of the gateway role. */
export const unitIdOf = (row: string): string | undefined =>
  row.startsWith(PREFIX) ? row.slice(PREFIX.length) : undefined;
