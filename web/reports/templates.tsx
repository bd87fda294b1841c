/** Templates of reports: which sections, in which order, under which titles. Own ones are written, changed and removed here. */
import { signal } from '@preact/signals';
import type { schemas } from '../../client/index.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { namePart } from '../ui/form-parts.ts';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say, sayOfApi, sayWith } from '../words/say.ts';

type Section = schemas.ReportTemplate['sections'][number];

// The test of words takes no text of a property called method: of requests they are no words.
const methodWords = (): string => say('How the numbers are made');
/** A section that the API has and this table has not does not compile. */
const SECTIONS: Readonly<Record<Section, () => string>> = {
  overview: () => say('The message on one page'),
  summary: () => say('Summary in two sentences'),
  meter: () => say('Place and meter'),
  levels: () => say('Levels of the whole period'),
  limits: () => say('Limits'),
  days: () => say('Days'),
  charts: () => say('Levels over time'),
  exceedances: () => say('Levels above the limit'),
  events: () => say('Events'),
  exclusions: () => say('Time that does not count'),
  calibration: () => say('Calibration'),
  weather: () => say('Weather'),
  left_out: () => say('What is left out'),
  method: methodWords,
};
const NAMES = Object.keys(SECTIONS) as Section[];

export function Templates() {
  const { found: templates } = useFound(() => client.value.reportTemplates(), [formsChanged.value]);
  const again = () => {
    formsChanged.value += 1;
  };
  if (!templates) return null;
  return (
    <Card
      id="templates"
      title={say('Templates')}
      about={say('A template says what is in a report, and in which order.')}
    >
      <ul class="configs">
        {templates.map((template) => (
          <li key={template.name}>
            <Entry
              name={sayOfApi(template.title)}
              mayChange={mayAdministerAll.value && !template.built_in}
              form={(use) => <TemplateForm present={template} use={use} />}
              remove={() => client.value.removeReportTemplate(template.name)}
              onChange={again}
            >
              <Name>{sayOfApi(template.title)}</Name> <code>{template.name}</code>
              <div class="soft small">
                <bdi>{template.sections.map((name) => template.titles[name] ?? SECTIONS[name]()).join(', ')}</bdi>
                {template.built_in && `. ${say('It comes with the gateway.')}`}
              </div>
            </Entry>
          </li>
        ))}
      </ul>
      {mayAdministerAll.value && <TemplateForm use={{ saved: again }} />}
    </Card>
  );
}

interface TemplateValues extends Pick<schemas.ReportTemplate, 'name' | 'title' | 'sections'> {
  readonly titles: Readonly<Partial<Record<Section, string>>>;
}

const NEW: TemplateValues = { name: '', title: '', sections: ['summary', 'limits', 'charts'], titles: {} };

function TemplateForm({ present, use }: { readonly present?: schemas.ReportTemplate; readonly use: FormUse }) {
  const [values, set] = useValues<TemplateValues>(present ?? NEW);
  const { name, title, sections, titles } = values;
  const save = async () => {
    const own = sections.flatMap((section) => {
      const words = titles[section]?.trim();
      return words ? [[section, words] as const] : [];
    });
    const body = { title, sections, titles: Object.fromEntries(own) };
    return (await client.value.changeReportTemplate(name, body)).message;
  };
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name: present.title }) : say('A new template')}
      button={say('Save this template')}
      use={use}
      parts={[
        !present && namePart(say('Name of the template'), 'permit'),
        { name: 'title', label: say('Title of the template'), required: true, hint: say('For the permit') },
        { name: 'sections', isWide: true, draw: <Sections sections={sections} titles={titles} set={set} /> },
      ]}
      values={values}
      set={set}
      save={save}
    />
  );
}

interface SectionsProps extends Pick<TemplateValues, 'sections' | 'titles'> {
  set(more: Partial<TemplateValues>): void;
}

/** In their order, each with a title of its own; and the choice of one more. */
function Sections({ sections, titles, set }: SectionsProps) {
  const rest = NAMES.filter((section) => !sections.includes(section));
  return (
    <>
      <ol class="configs">
        {sections.map((section, index) => (
          <li key={section}>
            <SectionRow
              section={section}
              title={titles[section] ?? ''}
              change={(words) => set({ titles: { ...titles, [section]: words } })}
              up={index > 0 ? () => set({ sections: swapped(sections, index) }) : undefined}
              leaveOut={
                sections.length > 1 ? () => set({ sections: sections.filter((each) => each !== section) }) : undefined
              }
            />
          </li>
        ))}
      </ol>
      {rest.length > 0 && (
        <div class="fields">
          <Choice
            label={say('Add a section')}
            value=""
            choices={[['', say('choose')] as const, ...rest.map((each) => [each, SECTIONS[each]()] as const)]}
            change={(word) => word !== '' && set({ sections: [...sections, word] })}
          />
        </div>
      )}
    </>
  );
}

/** With the section at `index` one place further up. */
const swapped = (sections: readonly Section[], index: number): readonly Section[] =>
  sections.toSpliced(index - 1, 2, ...sections.slice(index - 1, index + 1).toReversed());

interface RowProps {
  readonly section: Section;
  readonly title: string;
  change(title: string): void;
  readonly up: (() => void) | undefined;
  readonly leaveOut: (() => void) | undefined;
}

function SectionRow({ section, title, change, up, leaveOut }: RowProps) {
  const words = SECTIONS[section]();
  return (
    <div class="row end">
      <div class="entry">
        <Field label={say('Title of “{section}”', { section: words })} value={title} change={change} hint={words} />
      </div>
      <div class="row">
        <button type="button" disabled={!up} onClick={up}>
          {sayWith('Up {section}', { section: <span class="hidden-label">{words}</span> })}
        </button>
        <button type="button" disabled={!leaveOut} onClick={leaveOut}>
          {sayWith('Leave out {section}', { section: <span class="hidden-label">{words}</span> })}
        </button>
      </div>
    </div>
  );
}

/** Counts changes of templates and letterheads: other forms of the page offer both, and ask again. */
export const formsChanged = signal(0);
