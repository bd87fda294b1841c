/** Positions of the fields in the data lines. Fields are separated by a comma; positions count, spaces do not. */
import { evidence } from './commands.ts';

/** Channel order of DOD, DLC and DRD. Captured (the lines have 64 and 33 fields). */
export const CHANNELS = Object.freeze(['main', 'sub1', 'sub2', 'sub3'] as const);

/** `DOD?`: the values on the display, 4 channels x 16 fields. No counter, no time, no state. */
export const DOD = Object.freeze({
  fields: Object.freeze([
    'lp',
    'leq',
    'le',
    'lmax',
    'lmin',
    'ln1',
    'ln2',
    'ln3',
    'ln4',
    'ln5',
    'lpeak',
    'lieq',
    'leq_mov',
    'ltm5',
    'over',
    'under',
  ] as const),
  flags: Object.freeze(['over', 'under'] as const),
  channels: 4,
  evidence: evidence('captured', 'stored lines of an NL-43; LE - Leq = 10 lg T fixes the order'),
});

/** `DLC?`: the result of the last finished measurement, in the same fields; Lp is always missing. */
export const DLC = Object.freeze({
  ...DOD,
  evidence: evidence('captured', 'log of an NL-43, after a manual stop'),
});

/** `DRD?`: one line per 100 ms. A counter of frames since the request, then 4 channels x 8 fields of that interval. */
export const DRD = Object.freeze({
  lead: 'counter',
  fields: Object.freeze(['lp', 'leq', 'lmax', 'lmin', 'lpeak', 'lieq', 'over', 'under'] as const),
  flags: Object.freeze(['over', 'under'] as const),
  channels: 4,
  frameMs: 100,
  /** The counter goes from 1 to this and starts again. The restart is inferred from its range. */
  lastCounter: 600,
  evidence: evidence('captured', 'stored frames of an NL-43; the counter fits the age of the stream'),
});

/** `DRD?status`: a DRD line with five more fields. Their order is not verified. */
export const DRD_STATUS_TAIL = Object.freeze({
  fields: Object.freeze(['time', 'power', 'battery', 'sd_free_mb', 'state'] as const),
  power: Object.freeze({ I: 'Battery', E: 'External', U: 'USB' } as const),
  battery: Object.freeze({ F: 'Full', M: 'Middle', L: 'Low', D: 'Dead', E: 'Empty' } as const),
  state: Object.freeze({ M: 'Start', S: 'Stop' } as const),
  evidence: evidence('second-hand', 'summary of the guide, p.92: contents known, order and widths unverified'),
});
