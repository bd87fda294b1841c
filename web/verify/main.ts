/** The page that checks a package of evidence. It is one file, opened from disk, and does the same as `slm verify`. */
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { type Outcome, type Report, reportLines } from '../../plugins/evidence/verify/report.ts';
import { authoritiesFault } from '../../plugins/evidence/verify/stamp.ts';
import type { ByteSource } from '../../plugins/evidence/verify/zip.ts';

const MOST_LINES = 500;
const LOOKS: Readonly<Record<Outcome, string>> = {
  whole: 'good',
  differs: 'bad',
  'not a package': 'bad',
  unchecked: 'open',
};

const chosen = part('file', HTMLInputElement);
const fingerprint = part('fingerprint', HTMLInputElement);
const authority = part('authority', HTMLInputElement);
const progress = part('progress', HTMLElement);
const result = part('result', HTMLElement);
const verdict = part('verdict', HTMLElement);
const lines = part('lines', HTMLElement);

let file: File | undefined;
/** Counts the checks: one that was overtaken by another shows nothing. */
let last = 0;

chosen.addEventListener('change', () => take(chosen.files?.[0]));
for (const input of [fingerprint, authority]) input.addEventListener('change', () => take(file));
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  take(event.dataTransfer?.files[0]);
});

function part<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no ${id}`);
  return element;
}

function take(next: File | undefined): void {
  if (!next) return;
  file = next;
  last += 1;
  result.hidden = true;
  void check(next, last).catch((error: unknown) => {
    progress.textContent = `The file cannot be read: ${error instanceof Error ? error.message : error}`;
  });
}

async function check(chosenFile: File, mine: number): Promise<void> {
  const expected = fingerprint.value.trim();
  if (expected !== '' && !/^sha256:[0-9a-f]{64}$/.test(expected)) {
    progress.textContent = 'A fingerprint is sha256: and 64 digits from 0 to f.';
    return;
  }
  if (!canUnpack()) {
    progress.textContent = 'This browser is too old to unpack a ZIP. Take a current one, or slm verify.';
    return;
  }
  const authorities = await authority.files?.[0]?.text();
  const fault = authorities === undefined ? undefined : await authoritiesFault(authorities);
  if (fault !== undefined) {
    progress.textContent = `The certificates of the authority cannot be read: ${fault}.`;
    return;
  }
  progress.textContent = `Reading ${chosenFile.name} …`;
  const report = await verifyPackage(sourceOf(chosenFile), {
    ...(expected !== '' && { fingerprint: expected }),
    authorities,
    onProgress: (done, all) => {
      if (mine === last) progress.textContent = `${done} of ${all} files of ${chosenFile.name}`;
    },
  });
  if (mine === last) show(report, chosenFile.name);
}

function show(report: Report, name: string): void {
  const [first = '', ...others] = reportLines(report);
  verdict.textContent = first;
  verdict.className = LOOKS[report.outcome];
  const more = others.length - MOST_LINES;
  const shown = more > 0 ? [...others.slice(0, MOST_LINES), `${more} more lines; slm verify prints all`] : others;
  lines.replaceChildren(
    ...shown.map((text) => {
      const line = document.createElement('li');
      line.textContent = text;
      return line;
    }),
  );
  progress.textContent = `${name} is checked.`;
  result.hidden = false;
  result.focus();
}

function canUnpack(): boolean {
  try {
    return new DecompressionStream('deflate-raw') !== undefined;
  } catch {
    return false;
  }
}

const sourceOf = (blob: Blob): ByteSource => ({
  size: blob.size,
  read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
});
