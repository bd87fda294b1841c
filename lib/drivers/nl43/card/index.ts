/** Files of the card as text, and the clock of the meter. See `contract.ts`. No file, no network: bytes come in, rows go out. */
export { lookOf, MeterClock } from './clock.ts';
export type { CardHeader, CardItem, CardMoment, CardProblem, CardRow, ClockReading } from './contract.ts';
export { readHeader } from './header.ts';
export { type RndOptions, readRnd } from './rnd.ts';
export { type CardStep, findSteps } from './splits.ts';
