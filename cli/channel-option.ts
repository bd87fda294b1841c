/** The channel of the meter that a command is about. */
import type { CommandCall, Option } from './contract.ts';

/** `--channel sub1`. */
export const CHANNEL: Option = {
  name: 'channel',
  value: 'NAME',
  help: 'a recorded channel of the meter: main, sub1 ... (main)',
  completion: ['main', 'sub1', 'sub2', 'sub3'],
};

/** The query of a request for this channel. */
export const channelIn = ({ channel }: CommandCall['options']): { readonly channel?: string } =>
  typeof channel === 'string' ? { channel } : {};
