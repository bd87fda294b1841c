/** The whole body of a preset, made of what a person or a file says. */
import { assessment, invalid } from '../../lib/index.ts';
import { PRESET_FIXED, type PresetInput } from './preset-schemas.ts';

/** A preset that adds nothing; title, periods and figures are the caller's. */
const PLAIN: Omit<assessment.PresetBody, 'title' | 'periods' | 'figures'> = {
  ...{
    source: '',
    confirmed_by: null,
    night_of: 'evening',
    tonal: null,
    impulse: null,
    low_frequency: null,
    other: null,
  },
  ...{
    rest: null,
    most_added: null,
    residual: 'subtract',
    background: 'none',
    duration: null,
    areas: [],
    peaks_over: {},
  },
  ...{ events: null, decimals: 1, min_coverage: 0.75 },
};

/**
 * What is not given is as in the present preset, or as in one that adds nothing. Errors: INVALID with the path of all that does not
 * fit together.
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
