import t from 'tap';
import { createMailbox } from '../../../lib/meter/live/mailbox.ts';
import { VirtualClock } from '../../../simulator/clock.ts';

function createBox() {
  const clock = new VirtualClock();
  const sent: (readonly [number, number])[] = [];
  const state = { buffered: 0, slow: 0 };
  const box = createMailbox<number>({
    clock,
    send: (frame, missed) => sent.push([frame, missed]),
    buffered: () => state.buffered,
    tooSlow: () => {
      state.slow += 1;
    },
    fullBytes: 1_000,
    slowMs: 30_000,
  });
  return { clock, sent, state, box };
}

t.test('a client with room gets every frame at once, and no timer runs', async (t) => {
  const { clock, sent, box } = createBox();
  box.offer(1);
  box.offer(2);
  t.same(sent, [
    [1, 0],
    [2, 0],
  ]);
  t.equal(clock.pending, 0);
});

t.test('when a full client has drained, it gets the newest frame and the number of missed frames', async (t) => {
  const { clock, sent, state, box } = createBox();
  box.offer(1);
  state.buffered = 5_000;
  for (const frame of [2, 3, 4, 5]) box.offer(frame);
  t.same(sent, [[1, 0]]);
  state.buffered = 0;
  await clock.advance(60);
  t.same(sent, [
    [1, 0],
    [5, 3],
  ]);
  box.offer(6);
  t.same(sent.at(-1), [6, 0], 'told once');
  t.equal(box.dropped, 3);
  t.equal(clock.pending, 0);
});

t.test('leaving the full state does not depend on a further frame', async (t) => {
  const { clock, sent, state, box } = createBox();
  state.buffered = 5_000;
  box.offer(1);
  await clock.advance(1_000);
  state.buffered = 0;
  await clock.advance(60);
  t.same(sent, [[1, 0]]);
});

t.test('a frame that comes when the client has just drained is sent after the held one', async (t) => {
  const { sent, state, box } = createBox();
  state.buffered = 5_000;
  box.offer(1);
  state.buffered = 0;
  box.offer(2);
  t.same(sent, [
    [1, 0],
    [2, 0],
  ]);
});

t.test('a client that is full for thirty seconds gets one message about it, and then nothing', async (t) => {
  const { clock, sent, state, box } = createBox();
  state.buffered = 5_000;
  for (let frame = 0; frame < 299; frame++) {
    box.offer(frame);
    await clock.advance(100);
  }
  t.equal(state.slow, 0);
  await clock.advance(200);
  t.equal(state.slow, 1);
  state.buffered = 0;
  box.offer(1_000);
  await clock.advance(60_000);
  t.equal(state.slow, 1);
  t.same(sent, []);
  t.equal(clock.pending, 0);
});

t.test('a client that drains now and then is slow, not too slow', async (t) => {
  const { clock, state, box } = createBox();
  for (let second = 0; second < 100; second++) {
    state.buffered = 5_000;
    box.offer(second);
    await clock.advance(20_000);
    state.buffered = 0;
    await clock.advance(100);
  }
  t.equal(state.slow, 0);
});

t.test('nothing happens after the client has gone', async (t) => {
  const { clock, sent, state, box } = createBox();
  state.buffered = 5_000;
  box.offer(1);
  box.close();
  box.close();
  state.buffered = 0;
  box.offer(2);
  await clock.advance(60_000);
  t.same(sent, []);
  t.equal(state.slow, 0);
  t.equal(clock.pending, 0);
});
