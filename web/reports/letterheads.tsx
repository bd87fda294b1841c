/** Letterheads of reports: a few lines and a logo, shown as they will be printed. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { bytes } from '../state/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { namePart } from '../ui/form-parts.ts';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
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
    <Card
      id="letterheads"
      title={say('Letterheads')}
      about={say('The author of the report: up to six lines and a logo above its title.')}
    >
      <ul class="configs">
        {letterheads.map((each) => (
          <li key={`${each.name} ${each.logo} ${each.lines.join('\n')}`}>
            <Letterhead letterhead={each} again={again} />
          </li>
        ))}
      </ul>
      {mayAdministerAll.value && <LetterheadForm use={{ saved: again }} />}
    </Card>
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
      remove={() => client.value.removeReportLetterhead(name)}
      onChange={again}
    >
      <Name>{name}</Name>
      <Look lines={lines} logo={found?.logo ?? null} />
    </Entry>
  );
}

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
  const first: schemas.ReportLetterheadFull['lines'] = [];
  const [values, set] = useValues({ name: '', lines: first, logo: null as string | null, ...present });
  const [wrong, setWrong] = useState('');
  const { name, lines, logo } = values;
  const choose = async (file: File) => {
    try {
      set({ logo: await logoOf(file) });
      setWrong('');
    } catch (error) {
      setWrong(messageOf(error));
    }
  };
  const picture = (
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
      {wrong !== '' && (
        <span class="said bad" role="alert">
          {wrong}
        </span>
      )}
    </label>
  );
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name }) : say('A new letterhead')}
      button={say('Save this letterhead')}
      use={use}
      parts={[
        !present && namePart(say('Name of the letterhead'), say('office')),
        { name: 'logo', draw: picture },
        {
          name: 'lines',
          type: 'lines',
          label: say('Lines, up to {most}', { most: MOST_LINES }),
          written: { print: (all: readonly string[]) => all.join('\n'), parse: linesOf },
        },
      ]}
      values={values}
      set={set}
      save={() => client.value.changeReportLetterhead(name, { lines, logo })}
    >
      <Look lines={lines} logo={logo} />
      {logo !== null && (
        <div class="row">
          <button type="button" onClick={() => set({ logo: null })}>
            {say('Without a logo')}
          </button>
        </div>
      )}
    </SchemaForm>
  );
}

/** Empty lines at the end are no lines. */
const linesOf = (text: string): readonly string[] =>
  text.trimEnd() === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => line.trim());

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
