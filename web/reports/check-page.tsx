/** Compares a file with the reports that the gateway keeps, for anybody who has the file. Only its SHA-256 leaves this computer. */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import type { ComponentChildren } from 'preact';
import { client } from '../state/access.ts';
import { dayWithYear, timeOfDay } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { say } from '../words/say.ts';

/** `children`: below the form. */
export function CheckPage({ children }: { readonly children?: ComponentChildren }) {
  const { outcome, run, waits } = useAction();
  const take = (file: File | undefined) => file && run(() => compared(file));
  return (
    <main
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <div class="card login">
        <h1>{say('Check a report')}</h1>
        <p>
          {say(
            'Choose the file of the report, or drop it on this page. The file stays on this computer: only its SHA-256 is sent.',
          )}
        </p>
        <label class="field">
          <span>{say('File of a report (PDF, HTML, CSV, XLSX)')}</span>
          <input
            type="file"
            accept=".pdf,.html,.csv,.xlsx"
            disabled={waits}
            onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
          />
        </label>
        <Said outcome={outcome} waiting={say('Reading the file ...')} />
        <p class="soft small">{say('A package of evidence is checked by the page verify.html in it.')}</p>
        {children}
      </div>
    </main>
  );
}

/** Says when the file was kept; an error in words: it is not kept. */
async function compared(file: File): Promise<string> {
  const { made_at } = await client.value.checkReportFile({ sha256: await hashOf(file) });
  if (made_at === null)
    throw new Error(say('This gateway keeps no report with the content of {file}.', { file: file.name }));
  const at = { file: file.name, day: dayWithYear(made_at), time: timeOfDay(made_at) };
  return say('This file ({file}) is the report that the gateway kept on {day} at {time}.', at);
}

/** In pieces, and also on a page without https, where browsers offer no cryptography of their own. */
async function hashOf(file: File): Promise<string> {
  const hash = sha256.create();
  const reader = file.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) hash.update(piece.value);
  return bytesToHex(hash.digest());
}
