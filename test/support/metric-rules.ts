/** The rules of `promtool check metrics` for the text of Prometheus, so that a test needs no promtool. Gives back what breaks them. */

/** Units that have another as their base, and short forms of units. */
const NO_BASE_UNIT =
  /_(minutes|hours|days|weeks|milliseconds|microseconds|nanoseconds|bits|kilobytes|megabytes|fahrenheit|s|ms|us|ns|b|kb|mb|gb|m|h|d)(_|$)/;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.]+(?:e[+-]?\d+)?|\+Inf|NaN)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\.)*)",?/gy;

interface Family {
  help?: string;
  type?: string;
  readonly samples: { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number }[];
}

export function brokenRules(text: string): string[] {
  const broken: string[] = [];
  const families = new Map<string, Family>();
  const familyOf = (name: string): Family => {
    const family = families.get(name) ?? { samples: [] };
    families.set(name, family);
    return family;
  };
  if (!text.endsWith('\n')) broken.push('the text has no line end');
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind) {
      const key = kind === 'HELP' ? 'help' : 'type';
      if (familyOf(name)[key] !== undefined) broken.push(`${name}: a second ${kind}`);
      familyOf(name)[key] = rest;
      continue;
    }
    const [, sample, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (sample === undefined) {
      broken.push(`not readable: ${line}`);
      continue;
    }
    const found = new Map([...labels.matchAll(LABEL)].map(([, label = '', of = '']) => [label, of]));
    const base = sample.replace(/_(bucket|sum|count)$/, '');
    const family = families.get(base)?.type === 'histogram' || families.get(base)?.type === 'summary' ? base : sample;
    familyOf(family).samples.push({ name: sample, labels: found, value: value === '+Inf' ? Infinity : Number(value) });
  }
  for (const [name, family] of families) broken.push(...ofFamily(name, family).map((what) => `${name}: ${what}`));
  return broken;
}

function ofFamily(name: string, { help, type = 'untyped', samples }: Family): string[] {
  const broken: string[] = [];
  const check = (isFine: boolean, what: string) => {
    if (!isFine) broken.push(what);
  };
  check(help !== undefined && help.trim() !== '', 'no help');
  check(TYPES.includes(type), `the type ${type} is none`);
  check(/^[a-z_][a-z0-9_]*$/.test(name), 'not in snake case');
  check(!NO_BASE_UNIT.test(name.replace(/_total$/, '')), 'not in a base unit, or a short form of one');
  check((type === 'counter') === name.endsWith('_total'), 'counters end with _total, and nothing else does');
  check(!/_(gauge|counter|histogram|summary)(_|$)/.test(name), 'the name has its type');
  check(type === 'histogram' || !name.endsWith('_bucket'), 'only histograms end with _bucket');
  check(
    ['histogram', 'summary'].includes(type) || !/_(count|sum)$/.test(name),
    'only histograms end with _count or _sum',
  );
  const labels = new Set(samples.flatMap((sample) => [...sample.labels.keys()]));
  for (const label of labels) check(/^[a-z_][a-z0-9_]*$/.test(label) && !label.startsWith('__'), `label ${label}`);
  check(type === 'histogram' || !labels.has('le'), 'only histograms have the label le');
  check(type === 'summary' || !labels.has('quantile'), 'only summaries have the label quantile');
  const keys = samples.map((sample) => `${sample.name} ${[...sample.labels].sort().join(' ')}`);
  check(new Set(keys).size === keys.length, 'a series stands there twice');
  if (type === 'histogram') broken.push(...ofHistogram(name, samples));
  return broken;
}

function ofHistogram(name: string, samples: Family['samples']): string[] {
  const edges = samples.filter((sample) => sample.name === `${name}_bucket`);
  const counts = edges.map(({ value }) => value);
  const les = edges.map(({ labels }) => Number((labels.get('le') ?? '').replace('+Inf', 'Infinity')));
  const total = samples.find((sample) => sample.name === `${name}_count`)?.value;
  return [
    ...(counts.every((count, index) => index === 0 || count >= (counts[index - 1] ?? 0)) ? [] : ['buckets fall']),
    ...(les.every((edge, index) => index === 0 || edge > (les[index - 1] ?? 0)) ? [] : ['edges are not ascending']),
    ...(les.at(-1) === Number.POSITIVE_INFINITY && counts.at(-1) === total ? [] : ['+Inf is not the count']),
    ...(samples.some((sample) => sample.name === `${name}_sum`) ? [] : ['no sum']),
  ];
}
