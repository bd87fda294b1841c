/** The text for the person who unpacks a package. */
import type { Kind } from './gathering.ts';

const WORDS: Readonly<Record<Kind, string>> = {
  alerts: 'alerts.json: events of alerts',
  audit: 'audit.jsonl: records of the audit log about the unit, with the hashes of their chain',
  calibrations: 'calibrations.json: all checks with a sound calibrator, with all their versions',
  clock: 'clock.csv: how far the clock of the meter was ahead of that of the gateway, whenever they were compared',
  files:
    'files/CARD/...: files of the card of the meter that were changed between the day before the span and the day after it, as they are',
  levels: 'levels/DAY/...: the levels as they are stored, one local day each; seals.json: the seals of these days',
  notes: 'notes.json: notes and exclusions of the span, with all their versions',
  report: 'report.html: the report of the span, with the indices of each day',
  settings: 'settings.json: the place, the settings of the meter and how they changed, without addresses and passwords',
};

/** Plain text; the same for the same package. */
export const readme = (unitId: string, include: readonly Kind[]): string => `Evidence of the sound level meter ${unitId}

This package holds levels of a sound level meter and what belongs to them. manifest.json has a hash of each file, and
the folder signature has the signature over it. Nobody can change a file without being found out.

What is in it:
${include.map((kind) => `- ${WORDS[kind]}`).join('\n')}

How to check it. Take a program that you got another way, if you doubt this package:
- slm verify PACKAGE.zip
- verify.html in a browser; it works without a network
- python3 verify.py PACKAGE.zip

signature/timestamp.tsr is the time stamp of an independent authority over the signature. If it is not there, the package
is not stamped, and the programs show why; the signed statement in signature/envelope.json has the reason.

Compare the fingerprint of the key that they show with the one that you got on paper, by telephone or in the contract.
`;
