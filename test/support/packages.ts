/** Packages of evidence as people get them: made by a job, then downloaded. */
import type { World } from './world.ts';

/** The path of a job, from the answer that began it. */
export const jobAt = (headers: Headers): string => String(headers.get('location')).replace(/^.*(?=\/_jobs)/, '');

/**
 * The job after its end, by its path or by the answer that began it. A package is real work (compressing, hashing, a disk) and takes the time of this
 * computer. So the deadline is that of the test file, not a number of questions.
 */
export async function endedJob(world: World, begun: string | { readonly headers: Headers }) {
  const path = typeof begun === 'string' ? begun : jobAt(begun.headers);
  for (;;) {
    const { data } = (await world.get(path)).body;
    if (!['queued', 'running'].includes(data.state)) return data;
    await world.pass(200);
  }
}

/** Of `sim-1`: the result of its job. Throws where it fails. */
export async function madePackage(world: World, body: object) {
  const begun = await world.post('/sim-1/evidence', body);
  if (begun.status !== 202) throw new Error(JSON.stringify(begun.body));
  const job = await endedJob(world, begun);
  if (job.state !== 'done') throw new Error(JSON.stringify(job));
  return job.result;
}

/** Its bytes. */
export async function downloaded(world: World, href: string, headers: Record<string, string> = {}) {
  const response = await world.passing(fetch(`${world.base}${href}`, { headers }));
  return { response, bytes: Buffer.from(await world.passing(response.arrayBuffer())) };
}
