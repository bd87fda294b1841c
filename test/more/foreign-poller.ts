/** A foreign program asks a recorded meter twice a second for an hour, over one connection that it keeps. */
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';

/** An hour with WHOLE_HOUR=1; a quarter of it shows the same in CI. */
const HOUR_MINUTES = process.env.WHOLE_HOUR ? 60 : 15;
/** From memory nothing can pile up: this shows as much as an hour does. */
const BATTERY_MINUTES = 10;
const EVERY_MS = 500;
const FRAMES_A_MINUTE = 600;
/** An answer from memory is there within so much real time, ms; while it comes, the clock does not move. */
const AT_ONCE_MS = 25;

/** One connection, kept; `sockets`: how many it has opened. */
class ForeignClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #base: string;
  readonly sockets = new Set<unknown>();

  constructor(base: string) {
    this.#base = base;
  }

  async get(path: string): Promise<{ status: number | undefined; body: string }> {
    return new Promise((resolve, reject) => {
      const request = get(`${this.#base}${path}`, { agent: this.#agent }, (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
      });
      request.once('socket', (socket) => this.sockets.add(socket));
      request.once('error', reject);
    });
  }

  end(): void {
    this.#agent.destroy();
  }
}

/** Asks twice a second for so many minutes; `minute` is called after each with the commands and frames of it. */
async function poll(
  t: Test,
  world: World,
  { path, minutes }: { readonly path: string; readonly minutes: number },
  minute: (commands: readonly string[], frames: number, slowest: number) => void,
): Promise<void> {
  const { clock, meter } = world;
  const client = new ForeignClient(world.base);
  const framesSoFar = async (): Promise<number> => (await world.get('/sim-1/session')).body.data.counters.frames;
  for (let count = 0; count < minutes; count += 1) {
    const [from, frames, end] = [meter.log.commands.length, await framesSoFar(), clock.elapsed() + 60_000];
    let slowest = 0;
    while (clock.elapsed() < end) {
      const asked = clock.elapsed();
      const answer = client.get(path);
      await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, AT_ONCE_MS))]);
      const { status, body } = await clock.until(answer);
      if (status !== 200) t.fail(`${status} ${body}`);
      slowest = Math.max(slowest, clock.elapsed() - asked);
      await clock.pass(Math.max(0, asked + EVERY_MS - clock.elapsed()), { stepMs: 100 });
    }
    minute(meter.log.commands.slice(from), (await framesSoFar()) - frames, slowest);
  }
  t.equal(client.sockets.size, 1, 'all over one connection');
  client.end();
}

async function recordedMeter(t: Test): Promise<World> {
  const world = await openWorld(t);
  await world.put('/sim-1/config', { history: 'stream' });
  await world.post('/sim-1/start');
  await world.pass(30_000);
  return world;
}

t.test(
  'while live is asked twice a second, the display is read once in 10 s, and the stream keeps 80 % of its frames',
  { timeout: 600_000 },
  async (t) => {
    const world = await recordedMeter(t);
    let fewest = Number.POSITIVE_INFINITY;
    let most = 0;
    let sum = 0;
    await poll(t, world, { path: '/sim-1/live', minutes: HOUR_MINUTES }, (commands, frames) => {
      const displays = commands.filter((command) => command === 'DOD?').length;
      most = Math.max(most, displays);
      fewest = Math.min(fewest, frames);
      sum += frames;
    });
    t.ok(most <= 6, `${most} display readings in a minute at most`);
    const kept = sum / HOUR_MINUTES / FRAMES_A_MINUTE;
    t.ok(kept >= 0.8, `${kept} of the frames of the hour`);
    t.ok(fewest >= 0.8 * FRAMES_A_MINUTE, `${fewest} of ${FRAMES_A_MINUTE} frames in the worst minute`);
  },
);

t.test('ten minutes of battery twice a second cost nothing', { timeout: 600_000 }, async (t) => {
  const world = await recordedMeter(t);
  await poll(t, world, { path: '/sim-1/battery', minutes: BATTERY_MINUTES }, (commands, frames, slowest) => {
    t.same(commands, []);
    t.ok(frames >= FRAMES_A_MINUTE - 2, `${frames} frames`);
    t.equal(slowest, 0, 'each is answered at once');
  });
});
