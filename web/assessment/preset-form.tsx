/** A preset of people: a copy of another preset, or a change of this one. Fields that the form does not show do not change. */
import { useState } from 'preact/hooks';
import { GatewayProblem, type schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { type Problems, Wrong } from '../ui/wrong.tsx';
import { say } from '../words/say.ts';
import { AreaRows, FigureRows, PeriodRows } from './preset-rows.tsx';

interface Props {
  readonly preset: schemas.AssessmentPreset;
  /** Under a name that the form asks for. */
  readonly isCopy: boolean;
  readonly use: FormUse;
  /** With the name under which it is kept. */
  kept(name: string): void;
}

/** For admins. A refused value has its message at the field. */
export function PresetForm({ preset, isCopy, use, kept }: Props) {
  const { name: from, built_in: _, own: __, status: ___, advice: ____, ...body } = preset;
  const [draft, setDraft] = useState({ ...body, confirmed_by: isCopy ? null : body.confirmed_by });
  const [name, setName] = useState(isCopy ? '' : from);
  const [problems, setProblems] = useState<Problems>([]);
  const change = (more: Partial<typeof draft>) => setDraft({ ...draft, ...more });
  const save = async () => {
    setProblems([]);
    try {
      const { message } = await client.value.savePreset(name.trim(), draft);
      kept(name.trim());
      return message;
    } catch (error) {
      if (error instanceof GatewayProblem) setProblems(error.errors);
      throw error;
    }
  };
  return (
    <EntryForm
      title={isCopy ? say('A copy of {name}', { name: preset.title }) : say('Change {name}', { name: preset.title })}
      button={isCopy ? say('Make this preset') : say('Save this preset')}
      use={use}
      save={save}
    >
      <div class="fields">
        {isCopy && (
          <Field
            label={say('Name of the preset')}
            required
            hint={say('our-permit ## example of a name')}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
            value={name}
            change={setName}
          />
        )}
        <Field label={say('Title')} required value={draft.title} change={(title) => change({ title })} />
        <Field label={say('Source of the numbers')} value={draft.source} change={(source) => change({ source })} />
        <Field
          label={say('Compared with the text by')}
          value={draft.confirmed_by ?? ''}
          change={(text) => change({ confirmed_by: text.trim() === '' ? null : text })}
        />
        <Field
          label={say('Share that must be measured, %')}
          type="number"
          min={10}
          max={100}
          value={String(Math.round(draft.min_coverage * 100))}
          change={(text) => change({ min_coverage: Number(text) / 100 })}
        />
        <Choice
          label={say('Compared with ## levels with limits')}
          value={String(draft.decimals)}
          choices={[
            ['0', say('whole decibels')],
            ['1', say('one decimal')],
          ]}
          change={(text) => change({ decimals: text === '0' ? 0 : 1 })}
        />
      </div>
      {['/title', '/source', '/confirmed_by', '/min_coverage'].map((path) => (
        <Wrong key={path} problems={problems} at={path} />
      ))}
      <PeriodRows value={draft.periods} problems={problems} change={(periods) => change({ periods })} />
      <FigureRows
        value={draft.figures}
        periods={draft.periods.map((period) => period.name)}
        problems={problems}
        change={(figures) => change({ figures })}
      />
      <AreaRows value={draft.areas} problems={problems} change={(areas) => change({ areas })} />
    </EntryForm>
  );
}
