/** Packages of evidence as people get them: made by a job, then downloaded. */
import type { World } from './world.ts';

/**
 * The job at this path after its end. A package is real work (compressing, hashing, a disk) and takes the time of this
 * computer. So the deadline is that of the test file, not a number of questions.
 */
export async function endedJob(world: World, path: string) {
  for (;;) {
    const { data } = (await world.get(path)).body;
    if (!['queued', 'running'].includes(data.state)) return data;
    await world.pass(200);
  }
}

/** Of `sim-1`: the result of its job. Throws where it fails. */
export async function madePackage(world: World, body: object) {
  const { status, headers, body: answer } = await world.post('/sim-1/evidence', body);
  if (status !== 202) throw new Error(JSON.stringify(answer));
  const job = await endedJob(world, String(headers.get('location')).replace(/^.*(?=\/_jobs)/, ''));
  if (job.state !== 'done') throw new Error(JSON.stringify(job));
  return job.result;
}

/** Its bytes. */
export async function downloaded(world: World, href: string, headers: Record<string, string> = {}) {
  const response = await world.passing(fetch(`${world.base}${href}`, { headers }));
  return { response, bytes: Buffer.from(await world.passing(response.arrayBuffer())) };
}
