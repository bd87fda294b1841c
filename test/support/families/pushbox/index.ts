/** A family of meters for tests: sensors that send a value for each minute, and that nobody can ask. */
import type { Family, PushedValues } from '../../../../lib/drivers/contract.ts';
import { DecodeError } from '../../../../lib/drivers/wire/contract.ts';

export const PUSHBOX: Family = {
  name: 'pushbox',
  title: 'sensor that sends by itself',
  channels: ['Main'],
  quantities: ['leq', 'lmax'],
  settings: [],
  operations: {},
  decodePushed,
};

/** `51.4 66.0 2026-11-21T06:30:00Z`: Leq and Lmax of the minute that ended then; without a time it has no clock. */
function decodePushed(message: string): readonly PushedValues[] {
  const [leq, lmax, ended, more] = message.trim().split(' ');
  const isLevel = (text: string | undefined) => text !== undefined && /^\d{1,3}\.\d$/.test(text);
  const at = ended === undefined ? null : Date.parse(ended);
  if (!isLevel(leq) || !isLevel(lmax) || more !== undefined || Number.isNaN(at))
    throw new DecodeError('not two levels and a time', message);
  return [{ at, seconds: 60, main: { leq: leq ?? null, lmax: lmax ?? null, over: null, under: null } }];
}
