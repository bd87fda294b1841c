/** Builds the whole body of a preset from the fields of a request or a file. */
import { invalid } from '../../lib/index.ts';
import * as assessment from './model/index.ts';
import { PRESET_FIXED, type PresetInput } from './preset-schemas.ts';

/** A preset without additions; title, periods and figures come from the caller. */
export const PLAIN: Omit<assessment.PresetBody, 'title' | 'periods' | 'figures'> = {
  source: '',
  confirmed_by: null,
  night_of: 'evening',
  tonal: null,
  impulse: null,
  low_frequency: null,
  other: null,
  rest: null,
  most_added: null,
  residual: 'subtract',
  background: 'none',
  duration: null,
  areas: [],
  peaks_over: {},
  events: null,
  decimals: 1,
  min_coverage: 0.75,
};

/**
 * Absent fields are as in the present preset, or as in a preset without additions. Errors: INVALID with the path of each
 * field that does not fit.
 */
export function checkedBody(present: assessment.PresetBody | undefined, given: PresetInput): assessment.PresetBody {
  const { title, periods, figures, ...rest } = { ...(present ? bodyOf(present) : PLAIN), ...given };
  if (title === undefined || periods === undefined || figures === undefined) {
    const needed = Object.entries({ title, periods, figures }).filter(([, value]) => value === undefined);
    throw invalid(needed.map(([field]) => ({ path: `/${field}`, message: 'is needed for a new preset' })));
  }
  const body = { ...PLAIN, ...rest, title, periods, figures };
  const problems = assessment.problemsOf(body);
  if (problems.length > 0) throw invalid([...problems]);
  return present && given.confirmed_by === undefined ? assessment.changedPreset(present, body) : body;
}

function bodyOf(preset: assessment.PresetBody): PresetInput {
  const given: [string, unknown][] = Object.entries(preset);
  return Object.fromEntries(given.filter(([name]) => !PRESET_FIXED.includes(name)));
}
