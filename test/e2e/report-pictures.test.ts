/** Logos in the PDF of a report: each kind of PNG, and a turned photograph, have the same four colours at the right places. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pngFrom } from '../support/pictures.ts';
import { address, noPoppler, pdfOf, poppler } from '../support/reports.ts';
import { openWorld, type World } from '../support/world.ts';

type Colour = readonly [red: number, green: number, blue: number];

const [RED, GREEN, BLUE, WHITE] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
] as const;
const FOUR: readonly Colour[] = [RED, GREEN, BLUE, WHITE];
/** Upper left corner and side of a square logo, in points. */
const LOGO = { x: 491, y: 48, side: 56 } as const;
const HOUR = ['2025-11-02T23:00:00.000Z', '2025-11-03T00:00:00.000Z'] as const;

/** Rows as a PNG stores them behind this filter (PNG, chapter 9); `size`: bytes of a pixel. */
function filtered(rows: readonly (readonly number[])[], size: number, filters: readonly number[]): Buffer {
  const bytes = rows.flatMap((row, y) => {
    const filter = filters[y] ?? 0;
    return [
      filter,
      ...row.map((value, n) => {
        const left = row[n - size] ?? 0;
        const up = rows[y - 1]?.[n] ?? 0;
        const corner = n < size ? 0 : (rows[y - 1]?.[n - size] ?? 0);
        const nearest = [left, up, corner].reduce((best, one) =>
          Math.abs(left + up - corner - one) < Math.abs(left + up - corner - best) ? one : best,
        );
        return (value - ([0, left, up, Math.floor((left + up) / 2), nearest][filter] ?? 0) + 256) % 256;
      }),
    ];
  });
  return Buffer.from(bytes);
}

const inRows = (pixels: readonly (readonly number[])[]) => [pixels.slice(0, 2).flat(), pixels.slice(2).flat()];
const opaque = FOUR.map((colour) => [...colour, 255]);
const wide = opaque.map((values) => values.flatMap((value) => [value, value]));
const PALETTE = { PLTE: Buffer.from(FOUR.flat()) };
const transparent = [...FOUR.slice(0, 3).map((colour) => [...colour, 255]), [0, 0, 0, 0]];
const GREYS: readonly Colour[] = [
  [0, 0, 0],
  [80, 80, 80],
  [160, 160, 160],
  [255, 255, 255],
];

/** Two by two pixels: red, green, blue and white, or shades of grey. */
const PNGS: readonly (readonly [what: string, png: Buffer, seen: readonly Colour[]])[] = [
  ['colours as they are stored', pngFrom([2, 2, 8, 2], filtered(inRows([...FOUR]), 3, [1, 2])), FOUR],
  ['a palette as it is stored', pngFrom([2, 2, 2, 3], Buffer.from([0, 0x10, 0, 0xb0]), PALETTE), FOUR],
  ['filters 1 and 2', pngFrom([2, 2, 8, 6], filtered(inRows(opaque), 4, [1, 2])), FOUR],
  ['filters 3 and 4', pngFrom([2, 2, 8, 6], filtered(inRows(opaque), 4, [3, 4])), FOUR],
  ['filters 4 and 3', pngFrom([2, 2, 8, 6], filtered(inRows(opaque), 4, [4, 3])), FOUR],
  [
    'no filters, and a pixel that is transparent',
    pngFrom([2, 2, 8, 6], filtered(inRows(transparent), 4, [0, 0])),
    FOUR,
  ],
  ['sixteen bits', pngFrom([2, 2, 16, 6], filtered(inRows(wide), 8, [4, 4])), FOUR],
  [
    'a palette with a transparent colour',
    pngFrom([2, 2, 8, 3], Buffer.from([0, 0, 1, 0, 2, 3]), {
      PLTE: Buffer.from([...FOUR.slice(0, 3), [0, 0, 0]].flat()),
      tRNS: Buffer.from([255, 255, 255, 0]),
    }),
    FOUR,
  ],
  ['shades with alpha', pngFrom([2, 2, 8, 4], Buffer.from([0, 0, 255, 80, 255, 0, 160, 255, 255, 255])), GREYS],
  [
    'two bits of grey',
    pngFrom([2, 2, 2, 0], Buffer.from([0, 0x10, 0, 0xb0])),
    [[0, 0, 0], [85, 85, 85], [170, 170, 170], WHITE],
  ],
];

/** The library shows none of these as it is. */
const REFUSED: readonly (readonly [what: string, png: Buffer])[] = [
  [
    'a palette of two bits with a transparent colour',
    pngFrom([2, 2, 2, 3], Buffer.from([0, 0x10, 0, 0xb0]), { ...PALETTE, tRNS: Buffer.from([255, 255, 255, 0]) }),
  ],
  [
    'one colour that is transparent',
    pngFrom([2, 2, 8, 2], filtered(inRows([...FOUR]), 3, [0, 0]), { tRNS: Buffer.from([0, 9, 0, 9, 0, 9]) }),
  ],
  // Its passes have the first pixel, the second one, and the lower row.
  ['rows in several passes', pngFrom([2, 2, 8, 2, 1], Buffer.from([0, ...RED, 0, ...GREEN, 0, ...BLUE, ...WHITE]))],
];

async function withLogo(t: Test, world: World, logo: Buffer): Promise<Buffer> {
  const { status, body } = await world.put('/_reports/letterheads/x', { lines: [], logo: logo.toString('base64') });
  if (status !== 200 && status !== 201) throw new Error(JSON.stringify(body));
  return pdfOf(t, world, address(HOUR, '&template=short&letterhead=x&format=pdf'));
}

/** The place of the logo, drawn by poppler at 72 dpi: `-jpeg`, or pixels of three bytes without it. */
function drawn(t: Test, pdf: Buffer, ...options: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'slm-logo-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.pdf');
  writeFileSync(file, pdf);
  const { x, y, side } = LOGO;
  const place = ['-r', '72', '-f', '1', '-l', '1', '-x', x, '-y', y, '-W', side, '-H', side].map(String);
  const { stderr, status } = spawnSync('pdftoppm', [...place, '-singlefile', ...options, file, join(folder, 'logo')]);
  t.strictSame([String(stderr), status], ['', 0], 'poppler warns of nothing');
  return readFileSync(join(folder, options.includes('-jpeg') ? 'logo.jpg' : 'logo.ppm'));
}

/** In the middle of each quarter: upper left, upper right, lower left, lower right. */
function quarters(t: Test, pdf: Buffer): readonly Colour[] {
  const pixels = drawn(t, pdf).subarray(-LOGO.side * LOGO.side * 3);
  const [near, far] = [LOGO.side / 4, (LOGO.side * 3) / 4];
  return [
    [near, near],
    [far, near],
    [near, far],
    [far, far],
  ].map(([x = 0, y = 0]) => {
    const at = (y * LOGO.side + x) * 3;
    return [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0] as const;
  });
}

/** To the nearest full share of colour: a photograph is not exact. */
const rounded = (colours: readonly Colour[]) => colours.map((one) => one.map((value) => Math.round(value / 255)));

t.test('each kind of PNG shows its colours', noPoppler, async (t) => {
  const world = await openWorld(t);
  for (const [what, png, seen] of PNGS) t.strictSame(quarters(t, await withLogo(t, world, png)), seen, what);
});

t.test('a picture that would be printed wrongly is refused with its path', async (t) => {
  const world = await openWorld(t);
  for (const [what, png] of REFUSED) {
    const { status, body } = await world.put('/_reports/letterheads/x', { lines: [], logo: png.toString('base64') });
    t.equal(status, 422, what);
    t.match(body.errors, [{ path: '/logo', message: /save it as a plain PNG or JPEG/ }]);
  }
});

t.test('a photograph is upright', noPoppler, async (t) => {
  const world = await openWorld(t);
  const pdf = await withLogo(t, world, PNGS[0]?.[1] ?? Buffer.alloc(0));
  const jpeg = drawn(t, pdf, '-jpeg');
  // Exif 2.3, tag 0x0112: which side of the picture its first row and its first column are.
  for (const [turn, order] of [
    [1, [0, 1, 2, 3]],
    [2, [1, 0, 3, 2]],
    [3, [3, 2, 1, 0]],
    [4, [2, 3, 0, 1]],
    [5, [0, 2, 1, 3]],
    [6, [2, 0, 3, 1]],
    [7, [3, 1, 2, 0]],
    [8, [1, 3, 0, 2]],
  ] as const)
    for (const isLittle of [true, false]) {
      const printed = await withLogo(t, world, turned(jpeg, turn, isLittle));
      const expected = order.map((n) => FOUR[n] ?? WHITE);
      t.strictSame(rounded(quarters(t, printed)), rounded(expected), `${turn}, ${isLittle ? 'II' : 'MM'}`);
      if (turn === 1) t.match(poppler(t, 'pdfinfo', printed), /Pages: +1\n/);
    }
});

/** With an Exif part of one entry. */
function turned(jpeg: Buffer, turn: number, isLittle: boolean): Buffer {
  const tiff = Buffer.alloc(26);
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(isLittle ? 'II' : 'MM', 0, 'latin1');
  for (const [value, at] of [
    [42, 2],
    [1, 8],
    [0x0112, 10],
    [3, 12],
    [turn, 18],
  ] as const)
    short(value, at);
  for (const [value, at] of [
    [8, 4],
    [1, 14],
  ] as const)
    long(value, at);
  const data = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, data.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}
