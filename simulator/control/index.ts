/** Control of simulated meters while they run: as a library and over HTTP. */

export type { EventPage, NumberedEvent } from './event-pages.ts';
export { type Counts, MeterControl, type MeterState, type SoundChoice } from './meter-control.ts';
export { PacedClock } from './paced-clock.ts';
export { type ControlOptions, type ControlServer, startControlServer } from './server.ts';
