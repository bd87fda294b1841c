/** Quantities of stations, in words and units. */
import type { schemas } from '../../client/index.ts';
import { say } from '../words/say.ts';

type Observed = schemas.ObservationRule['quantity'];

const NAMES: Readonly<Record<Observed, readonly [word: () => string, unit: string]>> = {
  wind_speed: [() => say('Wind'), 'm/s'],
  wind_direction: [() => say('Wind direction'), '°'],
  gust: [() => say('Gusts'), 'm/s'],
  rain: [() => say('Rain'), 'mm'],
  temperature: [() => say('Temperature'), '°C'],
  humidity: [() => say('Humidity'), '%'],
  pressure: [() => say('Air pressure'), 'hPa'],
  traffic: [() => say('Vehicles'), ''],
  train: [() => say('Trains'), ''],
};

const isNamed = (quantity: string): quantity is Observed => Object.hasOwn(NAMES, quantity);

/** In the order of a form. */
export const QUANTITIES: readonly Observed[] = Object.keys(NAMES).filter(isNamed);
/** An observed quantity in words. */
export const quantityWord = (quantity: string): string => (isNamed(quantity) ? NAMES[quantity][0]() : quantity);
/** Empty for numbers of something. */
export const unitOf = (quantity: string): string => (isNamed(quantity) ? NAMES[quantity][1] : '');
