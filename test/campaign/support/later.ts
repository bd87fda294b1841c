/** Time in larger steps than the world's own: these tests wait for minutes, and little happens in each. */
import type { World } from '../../support/world.ts';

export const later = (world: World, ms: number): Promise<void> =>
  world.clock.until(new Promise<void>((resolve) => void world.clock.after(ms, resolve)), { stepMs: 250 });

/** The job after its end. The deadline is that of the test file: files of a real disk take their time. */
export async function ended(world: World, id: string) {
  for (;;) {
    const { data } = (await world.get(`/_jobs/${id}`)).body;
    if (!['queued', 'running'].includes(data.state)) return data;
    await later(world, 1_000);
  }
}
