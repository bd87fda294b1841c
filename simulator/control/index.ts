/** Control of simulated meters while they run: as a library and over HTTP. */
export { type ControlDoor, type ControlOptions, openControlDoor } from './door.ts';
export type { EventPage, NumberedEvent } from './event-book.ts';
export { type Counts, MeterControl, type MeterState, type Sound } from './meter-control.ts';
export { PacedClock } from './paced-clock.ts';
