/** Figures drawn as SVG: how something grows, on two scales of tenfold steps. */

export interface Plot {
  readonly title: string;
  /** Quantity of the horizontal axis, and its unit. */
  readonly across: string;
  /** The first line is drawn dark, what it is compared with light and dashed. */
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }[];
}

const WIDTH = 430;
const HEIGHT = 270;
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 16, 56, 44];
const LOOKS = [
  'stroke="#0a58ca" stroke-width="2"',
  'stroke="#8a929a" stroke-width="1.5" stroke-dasharray="5 4"',
] as const;

/** Two in a row. */
export function drawPlots(plots: readonly Plot[]): string {
  const drawn = plots.map(
    (plot, place) =>
      `<g transform="translate(${(place % 2) * WIDTH} ${Math.floor(place / 2) * HEIGHT})">${draw(plot)}</g>`,
  );
  const [width, height] = [2 * WIDTH, Math.ceil(plots.length / 2) * HEIGHT];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#3b4a54">
<title>${plots.map(({ title }) => title).join('; ')}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${drawn.join('\n')}
</svg>
`;
}

function draw({ title, across, lines }: Plot): string {
  const points = lines.flatMap(({ points }) => points);
  const x = scale(
    points.map(([x]) => x),
    [LEFT, WIDTH - RIGHT],
  );
  const y = scale(
    points.map(([, y]) => y),
    [HEIGHT - BOTTOM, TOP],
  );
  const grid = [
    ...y.steps.map(
      (step) => rule(LEFT, y.at(step), WIDTH - RIGHT, y.at(step)) + text(LEFT - 6, y.at(step) + 4, step, 'end'),
    ),
    ...x.steps.map(
      (step) => rule(x.at(step), TOP, x.at(step), HEIGHT - BOTTOM) + text(x.at(step), HEIGHT - BOTTOM + 16, step),
    ),
  ];
  const drawn = lines.map(({ name, points }, place) => {
    const look = LOOKS[place] ?? LOOKS[1];
    const path = points.map(([a, b]) => `${x.at(a).toFixed(1)},${y.at(b).toFixed(1)}`).join(' ');
    const key = LEFT + place * 170;
    return `<polyline points="${path}" fill="none" ${look}/><path d="M${key} 40h22" ${look}/>${text(key + 28, 44, name, 'start')}`;
  });
  const names = `<text x="${LEFT}" y="24" font-size="13" font-weight="bold">${title}</text>${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across)}`;
  return [names, ...grid, ...drawn].join('\n');
}

/** Tenfold steps that hold all values. A 0 was too small to be counted: it lies on the lowest step. */
function scale(values: readonly number[], [from, to]: readonly [number, number]) {
  const counted = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...counted)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...counted))));
  return {
    steps: Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)),
    at: (value: number) => from + ((Math.max(low, Math.log10(value)) - low) / (high - low)) * (to - from),
  };
}

const rule = (x1: number, y1: number, x2: number, y2: number) =>
  `<path d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}" stroke="#e3e5e8"/>`;

const text = (x: number, y: number, shown: string | number, anchor = 'middle') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${typeof shown === 'number' ? Number(shown.toPrecision(1)).toLocaleString('en') : shown}</text>`;
