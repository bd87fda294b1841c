/** All endpoints of the control API: what each takes, does and answers. No HTTP here. */
import { scenarioNames } from '../acoustics/index.ts';
import { faultRoutes } from './fault-routes.ts';
import { logRoutes } from './log-routes.ts';
import type { MeterControl } from './meter-control.ts';
import { meterRoutes } from './meter-routes.ts';
import type { Movable, Route } from './route.ts';
import { timeRoutes } from './time-routes.ts';

/** In the order in which they are looked through. */
export const routesOf = (clock: Movable, meters: readonly MeterControl[]): Route[] => [
  { method: 'GET', path: '/meters', about: 'state of every meter', handle: () => meters.map((meter) => meter.state()) },
  ...meterRoutes,
  ...faultRoutes,
  ...logRoutes,
  { method: 'GET', path: '/scenarios', about: 'names of the scenarios', handle: () => scenarioNames() },
  ...timeRoutes(clock),
];
