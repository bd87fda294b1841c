/** Routes for the time of the simulator. */
import { fieldsOf, numberOf, WrongInput } from './input.ts';
import { FASTEST } from './paced-clock.ts';
import { DAY_MS, type Movable, NotPossible, type Route } from './route.ts';

/** Below `/time`. */
export const timeRoutes = (clock: Movable): Route[] => [
  { method: 'GET', path: '/time', about: 'time of the simulator and how fast it runs', handle: () => timeOf(clock) },
  {
    method: 'PUT',
    path: '/time',
    about: `{"speed": 0 to ${FASTEST}}: how fast time runs; 0 is a standstill`,
    handle({ body }) {
      const speed = numberOf(fieldsOf(body, ['speed']), 'speed', 0, FASTEST);
      if (speed === undefined) throw new WrongInput('speed is missing');
      if (clock.speed === undefined) throw new NotPossible('the speed of this clock is fixed');
      clock.speed = speed;
      return timeOf(clock);
    },
  },
  {
    method: 'POST',
    path: '/time/advance',
    about: '{"ms": up to a day}: moves time on at once; answers when it is there. Clients live in real time meanwhile',
    async handle({ body }) {
      const ms = numberOf(fieldsOf(body, ['ms']), 'ms', 0, DAY_MS);
      if (ms === undefined) throw new WrongInput('ms is missing');
      if (!clock.advance) throw new NotPossible('this clock cannot be moved');
      await clock.advance(ms);
      return timeOf(clock);
    },
  },
];

const timeOf = (clock: Movable) => ({
  now: new Date(clock.now()).toISOString(),
  elapsed_ms: clock.elapsed(),
  speed: clock.speed ?? null,
});
