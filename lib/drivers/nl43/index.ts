/** The family of the Rion NL-43 and NL-53. */
import { quantitiesIn } from '../../domain/quantities.ts';
import type { Family, ShownChannel } from '../contract.ts';
import { CARD } from './card/index.ts';
import { CHANNEL_NAMES } from './commands.ts';
import { CONVERSATION } from './conversation.ts';
import { decodeDisplay, decodeFrame } from './decode.ts';
import { OPERATIONS } from './operations.ts';
import { NL43_SETTINGS } from './settings.ts';
import { DOD, DRD } from './spec/layouts.ts';

const isShown = (fields: readonly string[]) => (name: string) => fields.includes(name);

/** The entry for the table of families. */
export const NL43: Family = Object.freeze<Family>({
  name: 'nl43',
  title: 'Rion NL-43 and NL-53',
  isModel: (model) => /^NL-[45]3/.test(model),
  channels: CHANNEL_NAMES,
  quantities: quantitiesIn('display').filter(isShown(DOD.fields)),
  stream: {
    quantities: quantitiesIn('frame').filter(isShown(DRD.fields)),
    frameMs: DRD.frameMs,
    lastCounter: DRD.lastCounter,
  },
  settings: NL43_SETTINGS,
  card: CARD,
  operations: OPERATIONS,
  conversation: CONVERSATION,
  readStoredLine,
});

/** 33 fields: DRD, a counter and four channels of 8. 64 fields: DOD, four channels of 16. */
function readStoredLine(line: string): Pick<ShownChannel, 'lp' | 'leq'> {
  const isFrame = line.split(',').length === 1 + DRD.channels * DRD.fields.length;
  return (isFrame ? decodeFrame : decodeDisplay)(line).main;
}
