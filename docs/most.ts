/** How many there may be of each kind of thing, from the constants that bound them: a table of the documentation. */
import { MOST_KEYS, MOST_PEOPLE } from '../lib/access/key-admin.ts';
import { MOST_SESSIONS, MOST_SESSIONS_OF_ONE } from '../lib/access/people/sessions.ts';
import { MOST_TICKETS } from '../lib/access/tickets.ts';
import { KEPT_JOBS, MOST_JOBS, MOST_JOBS_OF_UNIT } from '../lib/jobs/index.ts';
import { propertyOf } from '../lib/settings/schema.ts';
import { MOST_UNITS } from '../lib/store/configs.ts';
import { MOST_TARGETS } from '../plugins/alerts/delivery/target-routes.ts';
import { KEPT_EVENTS } from '../plugins/alerts/events/event-log.ts';
import { MOST_TAKEN } from '../plugins/alerts/events/taken-events.ts';
import { MOST_AT_ONCE, MOST_RULES } from '../plugins/alerts/rules/rule-routes.ts';
import { MOST_TARGETS_OF_RULE, MOST_UNITS_OF_RULE } from '../plugins/alerts/rules/rule-schemas.ts';
import { MOST_CALIBRATIONS, MOST_CALIBRATIONS_OF_ALL, MOST_CORRECTIONS } from '../plugins/calibration/records.ts';
import { MOST_CHANGES } from '../plugins/campaign/profiles/last-values.ts';
import { MOST_PROFILES } from '../plugins/campaign/profiles/profile-routes.ts';
import { MOST_PLANNED } from '../plugins/campaign/schedules/schedule-routes.ts';
import { MOST_PACKAGES, MOST_PACKED_BYTES } from '../plugins/evidence/packages.ts';
import { LIVE_SETTINGS } from '../plugins/live/schemas.ts';
import { MOST_FOLLOWED } from '../plugins/live/subscriber.ts';
import { MOST_LINES, MOST_TRACES } from '../plugins/log/trace.ts';
import { MOST_NOTES, MOST_OF_ALL, MOST_VERSIONS } from '../plugins/notes/records.ts';
import { MOST_REPORT_BYTES, MOST_RUNS } from '../plugins/reports/kept/runs.ts';
import { MOST_REPORTS } from '../plugins/reports/kept/schemas.ts';

const usualOf = (name: 'queue_limit' | 'connection_limit' | 'connections_per_address') =>
  `${propertyOf(name).default} (\`${name}\`)`;
const streams = LIVE_SETTINGS.properties as Readonly<Record<string, { readonly default: number }>>;
const REFUSED = '422 `INVALID`';
const WAIT = '503 `DEVICE_BUSY` with `Retry-After`';

/** What, how many, and what the next one gets. */
export const MOST: readonly (readonly [what: string, most: string | number, beyond: string])[] = [
  ['units', MOST_UNITS, REFUSED],
  ['notes and exclusions of a unit, removed ones too', MOST_NOTES, REFUSED],
  ['notes and exclusions of all units', MOST_OF_ALL, REFUSED],
  ['versions of a note', MOST_VERSIONS, `${REFUSED}; it can still be removed`],
  ['calibrations of a unit, removed ones too', MOST_CALIBRATIONS, REFUSED],
  ['calibrations of all units', MOST_CALIBRATIONS_OF_ALL, REFUSED],
  ['versions of a calibration', MOST_CORRECTIONS, `${REFUSED}; it can still be removed`],
  ['rules', MOST_RULES, REFUSED],
  ['rules in one request', MOST_AT_ONCE, REFUSED],
  ['units that a rule names', MOST_UNITS_OF_RULE, `${REFUSED}: use a tag`],
  ['targets of a rule', MOST_TARGETS_OF_RULE, REFUSED],
  ['targets', MOST_TARGETS, REFUSED],
  ['events that are kept', KEPT_EVENTS, 'the oldest that have ended go, a thousand at a time'],
  ['events in one request', MOST_TAKEN, REFUSED],
  ['jobs of a unit that wait or run', MOST_JOBS_OF_UNIT, WAIT],
  ['jobs of all units that wait or run', MOST_JOBS, WAIT],
  ['changes of the settings of a unit that are kept', MOST_CHANGES, 'the oldest go'],
  ['jobs that have ended and are kept', KEPT_JOBS, 'the oldest go'],
  ['packages of evidence of a unit', MOST_PACKAGES, 'the oldest goes'],
  ['bytes of all packages of evidence', `${MOST_PACKED_BYTES / 1e9} GB`, 'the oldest go'],
  ['reports that are kept', MOST_REPORTS, REFUSED],
  ['runs of a report with their documents', MOST_RUNS, 'the oldest go'],
  ['bytes of all documents of reports', `${MOST_REPORT_BYTES / 1e9} GB`, 'the run fails with `STORAGE_FULL`'],
  ['profiles of settings', MOST_PROFILES, REFUSED],
  ['entries of the schedule of a unit', MOST_PLANNED, REFUSED],
  ['API keys, ended ones too', MOST_KEYS, REFUSED],
  ['people', MOST_PEOPLE, 'the command line refuses it'],
  ['sessions of people and keys', MOST_SESSIONS, 'the session that is unused for the longest time ends'],
  ['sessions of one person or key', MOST_SESSIONS_OF_ONE, 'the same'],
  ['tickets that wait to be used', MOST_TICKETS, 'the oldest is forgotten'],
  ['traces at once', MOST_TRACES, WAIT],
  ['lines of a trace', MOST_LINES, 'the oldest go'],
  ['viewers of one meter', `${streams.streams_per_unit?.default} (\`streams_per_unit\`)`, '503 `TOO_MANY_STREAMS`'],
  ['viewers of all meters', `${streams.streams?.default} (\`streams\`)`, '503 `TOO_MANY_STREAMS`'],
  ['units that a client of `_live` names', MOST_FOLLOWED, REFUSED],
  ['connections', usualOf('connection_limit'), 'closed'],
  ['connections of one address', usualOf('connections_per_address'), 'closed'],
  ['commands that wait for one meter', usualOf('queue_limit'), WAIT],
];
