/** A world whose gateway answers the API of SLMM, too. Paths here are below the base path of SLMM. */
import type { Test } from 'tap';
import { openWorld, type Watched, type World } from '../support/world.ts';

export const BASE = '/slmm/api/nl43';

export interface SlmmAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
  readonly body: any;
}

export interface SlmmWorld {
  readonly world: World;
  /** `path` begins below the base path, or with `//` at the root of the server. Lets time pass until the answer is there. */
  ask(method: string, path: string, body?: unknown): Promise<SlmmAnswer>;
  watch(path: string): Promise<Watched>;
}

export async function openSlmmWorld(t: Test): Promise<SlmmWorld> {
  const world = await openWorld(t, { settings: { slmm: true, timezone: 'Europe/Berlin' } });
  const origin = new URL(world.base).origin;
  const send = async (method: string, path: string, body?: unknown) => {
    const url = path.startsWith('//') ? origin + path.slice(1) : origin + BASE + path;
    const json = { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const response = await fetch(url, { method, ...(body !== undefined && json) });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(String(bytes)) : bytes };
  };
  return {
    world,
    ask: (method, path, body) => world.passing(send(method, path, body)),
    watch: (path) => world.watchAt(`${origin.replace('http', 'ws')}${BASE}${path}`),
  };
}
