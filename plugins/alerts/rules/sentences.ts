/** The sentences of rules and events: a code for programs, and its English text, which `config/words` has in other languages. */
import { type Sentence, sentenceIn, sentencesOf } from '../../../lib/built-in.ts';
import { texts } from '../../../lib/index.ts';
import type { EventRow } from '../tables.ts';

export const sentence = sentencesOf(
  texts({
    // Rules.
    level_rule: '{level} of {window} above {limit} dB',
    level_rule_with_warning: '{level} of {window} above {limit} dB, a warning from {warning} dB',
    coverage_rule: 'Less than {least} % of {window} measured',
    device_rule: 'The meter {condition} for {time}',
    device_rule_weighting: 'The meter {condition} than {weighting} for {time}',
    device_rule_threshold: 'The meter {condition} ({threshold} {unit}) for {time}',
    instance_silent_rule: 'An instance is silent for {time}',
    meters_unowned_rule: 'No instance is active for {time}',
    // Windows of rules.
    time: '{time} ## a length of time',
    last_time: 'the last {time}',
    day: 'the day ## a window',
    evening: 'the evening',
    night: 'the night',
    times: 'the time from {from} to {to}',
    scheduled: 'each time of the schedule',
    // Events of levels.
    level_above: 'The {level} of {window} is above {limit} dB.',
    level_may_be_above:
      'The {level} of {window} may be above {limit} dB: a row that reaches over the end of the window has {value} dB.',
    level_near_limit: 'The {level} of {window} is at {warning} dB or more, near the limit of {limit} dB.',
    level_may_be_near_limit:
      'The {level} of {window} may be at {warning} dB, near the limit of {limit} dB: a row that reaches over the end of the window has {value} dB.',
    coverage_low: 'Less than {least} % of {window} measured: at most {value} % can be.',
    // Events of meters.
    unreachable: 'The meter cannot be reached.',
    wedged: 'The meter takes no more connections.',
    asleep: 'The meter seems to be asleep.',
    not_measuring: 'The meter does not measure.',
    stale: 'The last levels are {age} s old.',
    frozen: 'The levels do not change although the meter says that it measures.',
    over_range: 'The level is above the range of the meter.',
    battery_below: 'The battery is at {value} %.',
    card_below: 'The free space of the card is at {value} %.',
    clock_behind: 'The clock of the meter is {value} s behind.',
    clock_ahead: 'The clock of the meter is {value} s ahead.',
    not_calibrated: 'No calibration is logged.',
    calibration_due: 'The last calibration was {count} day ago.|The last calibration was {count} days ago.',
    calibrator_expired: 'The certificate of the calibrator is valid until {day}.',
    calibration_drift: 'Between the last two calibrations the meter drifted by {drift} dB.',
    ftp_failing: 'The files of the card could not be fetched.',
    not_recorded: 'No levels are recorded.',
    station_silent: 'Nothing is known of the weather from these stations: {stations}.',
    station_last: '{station} (last at {time})',
    station_never: '{station} (never)',
    settings_changed: 'Not as in the profile {profile}: {differences}.',
    setting_differs: '{setting} is {found}, not {wanted}',
    weighting_changed: 'The meter has the weighting {found} and should have {wanted}.',
    // Events of instances.
    instance_silent: 'The instance {instance} has given no sign of life since {since}: it could not take over.',
    instance_never_seen:
      'The instance {instance} has given no sign of life since before this instance began to look: it could not take over.',
    meters_unowned: 'No instance was active for {seconds} s, from {from} to {to}: no levels were recorded.',
  }),
);

/** The fields of an event that say what happened. `detail`: an English text that says more than the sentence. */
export const eventWords = (said: Sentence, detail = english(said)): Pick<EventRow, 'detail' | 'sentences'> => ({
  detail,
  sentences: { detail: said },
});

/** As answers have it, for clients that do not use its code. */
export const english = (said: Sentence): string => sentenceIn('en', said, String);

/** Several sentences as one, which no language has to have words for. */
export function joined(all: readonly Sentence[], between: string): Sentence {
  const [only] = all;
  if (only && all.length === 1) return only;
  const text = all.map((_, index) => `{${index}}`).join(between);
  return { code: 'several', text, values: Object.fromEntries(all.entries()) };
}
