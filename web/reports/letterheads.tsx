/** Letterheads of reports: a few lines and a logo, shown as they will be printed. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { bytes } from '../state/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { Entry, EntryForm, type FormUse } from '../ui/entry.tsx';
import { Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';
import { formsChanged } from './templates.tsx';

/** As the gateway takes it, bytes. */
const MOST = 1_000_000;
const MOST_LINES = 6;

/** The list, and for admins of all meters the form. Others see an empty list as nothing. */
export function Letterheads() {
  const { found: letterheads } = useFound(() => client.value.reportLetterheads(), [formsChanged.value]);
  const again = () => {
    formsChanged.value += 1;
  };
  if (!letterheads || (letterheads.length === 0 && !mayAdministerAll.value)) return null;
  return (
    <section class="card" aria-labelledby="letterheads">
      <h2 id="letterheads">{say('Letterheads')}</h2>
      <p class="soft">{say('The author of the report: up to six lines and a logo above its title.')}</p>
      {letterheads.length > 0 && (
        <ul class="configs">
          {letterheads.map((each) => (
            <li key={`${each.name} ${each.logo} ${each.lines.join('\n')}`}>
              <Letterhead letterhead={each} again={again} />
            </li>
          ))}
        </ul>
      )}
      {mayAdministerAll.value && <LetterheadForm use={{ saved: again }} />}
    </section>
  );
}

function Letterhead({ letterhead, again }: { readonly letterhead: schemas.ReportLetterheadListed; again(): void }) {
  const { name, lines, logo } = letterhead;
  const { found } = useFound(() => client.value.reportLetterhead(name), [name, logo]);
  return (
    <Entry
      name={name}
      mayChange={mayAdministerAll.value && found !== undefined}
      form={(use) => found && <LetterheadForm present={found} use={use} />}
      remove={async () => (await client.value.removeReportLetterhead(name)).message}
      onChange={again}
    >
      <strong>
        <bdi>{name}</bdi>
      </strong>
      <Look lines={lines} logo={found?.logo ?? null} />
    </Entry>
  );
}

/** As in the head of a report. */
function Look({ lines, logo }: { readonly lines: readonly string[]; readonly logo: string | null }) {
  if (lines.length === 0 && logo === null) return <p class="soft small">{say('Empty.')}</p>;
  return (
    <div class="letterhead">
      <p class="lines">
        <bdi>{lines.join('\n')}</bdi>
      </p>
      {logo !== null && <img src={`data:${typeOf(logo)};base64,${logo}`} alt={say('Logo')} />}
    </div>
  );
}

/** The first bytes of a PNG are always the same ones. */
const typeOf = (logo: string): string => (logo.startsWith('iVBOR') ? 'image/png' : 'image/jpeg');

function LetterheadForm({ present, use }: { readonly present?: schemas.ReportLetterheadFull; readonly use: FormUse }) {
  const [name, setName] = useState('');
  const [text, setText] = useState(present?.lines.join('\n') ?? '');
  const [logo, setLogo] = useState(present?.logo ?? null);
  const [wrong, setWrong] = useState('');
  const lines = text.split('\n').map((line) => line.trim());
  // Empty lines at the end are no lines.
  while (lines.at(-1) === '') lines.pop();
  const save = async () =>
    (await client.value.changeReportLetterhead(present?.name ?? name.trim(), { lines, logo })).message;
  const choose = async (file: File) => {
    try {
      setLogo(await logoOf(file));
      setWrong('');
    } catch (error) {
      setWrong(messageOf(error));
    }
  };
  return (
    <EntryForm
      title={present ? say('Change {name}', { name: present.name }) : say('A new letterhead')}
      button={say('Save this letterhead')}
      use={use}
      save={save}
    >
      <div class="fields">
        {!present && (
          <Field label={say('Name of the letterhead')} value={name} change={setName} required hint={say('office')} />
        )}
        <label class="field">
          {logo === null ? say('Logo, PNG or JPEG, up to 1 MB') : say('Another logo, PNG or JPEG, up to 1 MB')}
          <input
            type="file"
            accept="image/png,image/jpeg"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) void choose(file);
              // The same file can be chosen once more.
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      {wrong !== '' && (
        <p class="said bad" role="alert">
          {wrong}
        </p>
      )}
      <label class="field">
        {say('Lines, up to {most}', { most: MOST_LINES })}
        <textarea rows={4} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <Look lines={lines} logo={logo} />
      {logo !== null && (
        <div class="row">
          <button type="button" onClick={() => setLogo(null)}>
            {say('Without a logo')}
          </button>
        </div>
      )}
    </EntryForm>
  );
}

/** As Base64. Rejects with what is wrong: the gateway would say it, too, after a long way. */
async function logoOf(file: File): Promise<string> {
  if (file.size > MOST)
    throw new Error(say('This file has {size}; a logo may have 1 MB. Save it smaller.', { size: bytes(file.size) }));
  const logo = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(say('This file cannot be read.')));
    reader.readAsDataURL(file);
  });
  if (!/^(iVBOR|\/9j\/)/.test(logo)) throw new Error(say('This file is no PNG and no JPEG.'));
  return logo;
}
