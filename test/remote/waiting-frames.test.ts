/** Frames that somebody sees come over a link at once; others wait for each other. */
import t from 'tap';
import type { LiveFrame } from '../../lib/meter/contract.ts';
import { startMeter } from '../../simulator/index.ts';
import { messagePipe } from '../support/message-pipe.ts';
import { openRoof, Viewer } from './support/shared-world.ts';

/** One that writes down how old each frame was when it came, ms. */
class Timed extends Viewer {
  readonly ages: number[] = [];
  readonly mayWait: boolean;
  readonly #elapsed: () => number;

  constructor(mayWait: boolean, elapsed: () => number) {
    super();
    this.mayWait = mayWait;
    this.#elapsed = elapsed;
  }

  override frame(frame: LiveFrame): void {
    super.frame(frame);
    this.ages.push(this.#elapsed() - frame.elapsed);
  }
}

t.test('a frame that somebody sees is sent after a millisecond, and takes along what waits', async (t) => {
  const { clock, shared, give, until, members, configs } = await openRoof(t);
  const other = await startMeter({ clock, profile: 'instant', soundStepMs: 100 });
  t.teardown(() => clock.until(other.stop()));
  configs.put('quay', { host: other.host, tcpPort: other.tcpPort, ftpPort: other.ftpPort });
  const { near, far } = messagePipe();
  members.b.served.attach(far);
  shared.link('b', near);
  await until(give(['roof', 'quay'], 'b'));
  const watch = (unitId: string, mayWait: boolean) => {
    const viewer = new Timed(mayWait, () => clock.elapsed());
    return { viewer, leave: shared.meter(unitId).feed.watch(viewer) };
  };
  const [roof, quay] = [watch('roof', true), watch('quay', true)];
  /** In three seconds: messages with frames, and how old the frames of each were at most. */
  const seconds = async () => {
    const kept = [roof.viewer, quay.viewer];
    for (const { ages } of kept) ages.length = 0;
    far.sent.length = 0;
    await clock.pass(3_000);
    const messages = far.sent.filter((text) => text.startsWith('{"kind":"frames"')).length;
    t.ok(kept.every(({ ages }) => ages.length >= 29));
    return { messages, ages: kept.map(({ ages }) => Math.round(Math.max(...ages))) };
  };
  await clock.pass(5_000);
  const unseen = await seconds();
  t.ok(unseen.messages <= 60, `${unseen.messages} messages`);
  t.ok(
    unseen.ages.every((age) => age <= 51),
    `${unseen.ages} ms`,
  );
  t.ok(Math.max(...unseen.ages) > 10);

  const seen = watch('roof', false);
  await clock.pass(100);
  const [roofAge = 0, quayAge = 0] = (await seconds()).ages;
  t.ok(roofAge <= 2, `${roofAge} ms`);
  t.ok(quayAge <= 51, `${quayAge} ms`);
  seen.leave();
  await clock.pass(100);
  t.ok(Math.max(...(await seconds()).ages) > 10, 'when it has gone they wait again');

  const again = watch('quay', false);
  roof.leave();
  quay.leave();
  again.leave();
  const late = watch('quay', true);
  await clock.pass(3_000);
  late.viewer.ages.length = 0;
  await clock.pass(1_000);
  t.ok(Math.max(...late.viewer.ages) > 10, 'nobody sees what is watched anew until it is said');
});
