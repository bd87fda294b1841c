/** Every kind of fault: name, what a client meets, settings, evidence. Data for the board, the control API and the docs. */
import { halfClose, halfLine, resetMidReply } from './breaks.ts';
import type { CatalogueEntry } from './define.ts';
import { endlessData } from './endless.ts';
import * as ftp from './ftp.ts';
import { garbled } from './garbled.ts';
import { latency, lateReply } from './latency.ts';
import { natForgets } from './nat.ts';
import { asleep, halfOpen, lateSlot, reboot, refused, resetOnConnect, unserved, wedge } from './port.ts';
import { promptDoubled, promptMissing } from './prompts.ts';
import { noReply, offByOne, refusing, unsolicited } from './replies.ts';
import { joined, oneByte, split } from './segments.ts';
import { dataAfterSub, framesLost, frozen, stall } from './stream.ts';
import { wakeUp } from './wake-up.ts';

export type { CatalogueEntry } from './define.ts';

const time = [latency, lateReply, wakeUp];
const segments = [split, joined, oneByte];
const replies = [garbled, halfLine, noReply, offByOne, refusing, promptMissing, promptDoubled, unsolicited];
const connection = [
  resetMidReply,
  halfClose,
  natForgets,
  unserved,
  lateSlot,
  halfOpen,
  resetOnConnect,
  refused,
  wedge,
  asleep,
  reboot,
];
const values = [frozen, stall, framesLost, dataAfterSub, endlessData];
const card = [
  ftp.ftpLoginRefused,
  ftp.ftpDelayedStart,
  ftp.ftpNoData,
  ftp.ftpCut,
  ftp.ftpStall,
  ftp.ftpSlow,
  ftp.ftpWrongSize,
  ftp.ftpGrowing,
  ftp.ftpHostileNames,
  ftp.ftpEndlessListing,
];

/** By name. */
export const CATALOGUE: Readonly<Record<string, CatalogueEntry>> = Object.freeze(
  Object.fromEntries(
    [...time, ...segments, ...replies, ...connection, ...values, ...card].map((entry) => [entry.name, entry]),
  ),
);
