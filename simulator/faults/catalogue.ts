/** Every kind of fault: name, what a client meets, settings, evidence. Data for the board, the control API and the docs. */

import type { CatalogueEntry } from './define.ts';
import * as ftp from './ftp.ts';
import { joined, latency, lateReply, oneByte, split, wakeUp } from './link.ts';
import { asleep, halfOpen, lateSlot, natForgets, reboot, refused, resetOnConnect, unserved, wedge } from './port.ts';
import {
  garbled,
  halfClose,
  halfLine,
  noReply,
  offByOne,
  promptDoubled,
  promptMissing,
  refusing,
  resetMidReply,
  unsolicited,
} from './replies.ts';
import { dataAfterSub, endlessData, framesLost, frozen, stall } from './stream.ts';

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

export const CATALOGUE: Readonly<Record<string, CatalogueEntry>> = Object.freeze(
  Object.fromEntries(
    [...time, ...segments, ...replies, ...connection, ...values, ...card].map((entry) => [entry.name, entry]),
  ),
);
