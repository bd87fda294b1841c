/** Faults of a simulated meter: the catalogue and the board that they are switched on. */
export { createFaultBoard } from './board.ts';
export { CATALOGUE, type CatalogueEntry } from './catalogue.ts';
export { range } from './settings.ts';
