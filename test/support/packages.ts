/** Jobs, and what they make: runs of the mirror, packages of evidence, downloads. */
import type { World } from './world.ts';

/**
 * The job of this id after its end. A package is real work (compressing, hashing, a disk) and takes the time of this
 * computer. So the deadline is that of the test file, not a number of questions.
 */
export async function endedJob(world: World, id: string | number) {
  for (;;) {
    const { data } = (await world.get(`/_jobs/${id}`)).body;
    if (!['queued', 'running'].includes(data.state)) return data;
    await world.pass(200);
  }
}

/** Runs the mirror once; the job as it ended. Over a slow link that takes more than a minute. */
export async function mirrored(world: World, unit = 'sim-1') {
  const { status, body } = await world.post(`/${unit}/mirror`);
  if (status !== 202) throw new Error(`the mirror answers ${status}`);
  return endedJob(world, body.job);
}

/** Of `sim-1`: the result of its job. Throws where it fails. */
export async function madePackage(world: World, wanted: object) {
  const { status, body } = await world.post('/sim-1/evidence', wanted);
  if (status !== 202) throw new Error(JSON.stringify(body));
  const job = await endedJob(world, body.job);
  if (job.state !== 'done') throw new Error(JSON.stringify(job));
  return job.result;
}

export async function downloaded(world: World, href: string, headers: Record<string, string> = {}) {
  const response = await world.passing(fetch(`${world.base}${href}`, { headers }));
  return { response, bytes: Buffer.from(await world.passing(response.arrayBuffer())) };
}
