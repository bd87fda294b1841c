/** The one table of commands: help, completion and the reading of words come from it. */
import type { Command } from '../contract.ts';
import { about } from './about.ts';
import { ASSESSMENTS } from './assessment.ts';
import { CALIBRATIONS } from './calibrations.ts';
import { CAMPAIGN } from './campaign.ts';
import { CARE } from './care.ts';
import { CONTEXTS } from './contexts.ts';
import { EVIDENCE } from './evidence.ts';
import { FILES } from './files.ts';
import { HISTORY } from './history.ts';
import { JOBS } from './jobs.ts';
import { LIVE } from './live.ts';
import { MEASURING } from './measuring.ts';
import { NOTES } from './notes.ts';
import { REPORTS } from './reports.ts';
import { SETTING_COMMANDS } from './settings.ts';
import { SLMM } from './slmm.ts';
import { STATION_COMMANDS } from './stations.ts';
import { UNITS } from './units.ts';

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...UNITS,
  ...MEASURING,
  ...LIVE,
  ...SETTING_COMMANDS,
  ...FILES,
  ...HISTORY,
  ...ASSESSMENTS,
  ...NOTES,
  ...STATION_COMMANDS,
  ...CALIBRATIONS,
  ...CAMPAIGN,
  ...JOBS,
  ...REPORTS,
  ...EVIDENCE,
  ...SLMM,
  ...CARE,
  ...CONTEXTS,
  ...about(() => COMMANDS),
];
