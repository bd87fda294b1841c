/** A fixed piece of work: the speed of a computer that others use, too, goes up and down, also within minutes. */

const TEXT = JSON.stringify({ counter: 17, main: { leq: '43.2', lmax: '43.8' }, time: '2025/12/24 02:00:00' });
const ROUNDS = 10_000;

/** CPU that it takes now, ms. */
export function workMs(): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) JSON.stringify(JSON.parse(TEXT));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
