/** The default demo on a clock that a test moves: two recorded meters that are polled each 10 s, and somebody who asks one question after the other. */
import type { Test } from 'tap';
import { loadProfile } from '../../simulator/index.ts';
import { type Answer, type Ask, openWorld, type World, type WorldOptions } from './world.ts';

/** As `simulator/demo/demo.ts` has it. */
const RECORDED = { poll_enabled: true, poll_interval_seconds: 10, history: 'stream' } as const;
/** An answer from memory is there within so much real time, ms; while it comes, the clock does not move. */
const AT_ONCE_MS = 25;
/** The clock moves by so much while an answer is awaited, ms. */
const STEP_MS = 20;

/** One answer, and how long it took, ms. */
export interface Timed extends Answer {
  readonly path: string;
  readonly ms: number;
}

/** Its units are recorded and polled from now on, and nothing was read of them. */
export async function openDemo(t: Test, options: Omit<WorldOptions, 'quirks'> = {}): Promise<World> {
  const world = await openWorld(t, { meters: 2, quirks: loadProfile('default'), ...options });
  const configs = world.meters.map((_, index) =>
    world.asked('PUT', `/sim-${index + 1}/config`, { json: { ...RECORDED, ...connectionOf(world, index) } }),
  );
  await world.passing(Promise.all(configs));
  return world;
}

const connectionOf = ({ meters }: World, index: number) => ({
  host: meters[index]?.host,
  tcp_port: meters[index]?.tcpPort,
});

/** Asks once, and lets time pass until the answer is there. */
export async function timed(world: World, path: string, ask: Ask & { readonly method?: string } = {}): Promise<Timed> {
  const { clock } = world;
  const from = clock.elapsed();
  const asked = world.asked(ask.method ?? 'GET', path, ask);
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, AT_ONCE_MS))]);
  const answer = await clock.until(asked, { stepMs: STEP_MS });
  return { ...answer, path, ms: clock.elapsed() - from };
}

/** Asks at each of so many ms, or as soon as the answer before is there; stops after `forMs`. */
export async function askEach(
  world: World,
  everyMs: number,
  forMs: number,
  paths: readonly string[],
): Promise<Timed[]> {
  const { clock } = world;
  const answers: Timed[] = [];
  const end = clock.elapsed() + forMs;
  for (let turn = 0; clock.elapsed() < end; turn += 1) {
    const next = clock.elapsed() + everyMs;
    answers.push(await timed(world, paths[turn % paths.length] ?? ''));
    await world.pass(Math.max(0, next - clock.elapsed()));
  }
  return answers;
}

/** The least value that so large a part of the values does not exceed. */
export const quantileOf = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(part * values.length) - 1)] ?? 0;
