/** Time in larger steps than the world's own: these tests wait for minutes, and little happens in each. */
import type { World } from '../../support/world.ts';

export const later = (world: World, ms: number): Promise<void> =>
  world.clock.until(new Promise<void>((resolve) => void world.clock.after(ms, resolve)), { stepMs: 250 });

/** The job when it is through. */
export async function ended(world: World, id: string) {
  for (let asked = 0; asked < 600; asked += 1) {
    const { data } = (await world.get(`/_jobs/${id}`)).body;
    if (!['queued', 'running'].includes(data.state)) return data;
    await later(world, 1_000);
  }
  throw new Error('the job does not end');
}
