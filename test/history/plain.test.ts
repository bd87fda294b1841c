import t from 'tap';
import { VirtualClock } from '../../simulator/clock.ts';
import { historyContract } from '../contract/history/index.ts';
import { PlainHistory } from '../support/plain-history.ts';

historyContract(t, async () => {
  const clock = new VirtualClock();
  return { history: new PlainHistory(() => clock.now()), now: () => clock.now(), advance: (ms) => clock.advance(ms) };
});
