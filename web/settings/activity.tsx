/** Changes and their authors from the audit log, the latest first, page by page. */
import { useEffect, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { meters } from '../state/fleet.ts';
import { dayAndTime } from '../state/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { Choice } from '../ui/field.tsx';
import { WideTable } from '../ui/table.tsx';
import { say } from '../words/say.ts';

const PAGE = 20;

export function Activity() {
  const [unit, setUnit] = useState('');
  const [records, setRecords] = useState<readonly schemas.AuditRecord[]>([]);
  const [next, setNext] = useState<number | null>(null);
  const [failure, setFailure] = useState('');
  const read = async (before: readonly schemas.AuditRecord[], cursor: number | null, isLeft = () => false) => {
    const query = { limit: PAGE, ...(unit !== '' && { unit }), ...(cursor !== null && { before: cursor }) };
    try {
      const answer = await client.value.activity(query);
      if (isLeft()) return;
      setRecords([...before, ...answer.records]);
      setNext(answer.next);
      setFailure('');
    } catch (error) {
      if (!isLeft()) setFailure(messageOf(error));
    }
  };
  useEffect(() => {
    let left = false;
    void read([], null, () => left);
    return () => {
      left = true;
    };
  }, [unit]);
  const shown = records.filter(({ kind }) => kind === 'request');
  const units = [...(meters.value?.keys() ?? [])];
  return (
    <section class="card" aria-labelledby="activity">
      <div class="row end">
        <h2 id="activity">{say('Activity')}</h2>
        <Choice
          label={say('Meter')}
          value={unit}
          choices={[['', say('all ## meters')] as const, ...units.map((id) => [id, id] as const)]}
          change={setUnit}
        />
      </div>
      {failure !== '' && <p class="said bad">{failure}</p>}
      {shown.length === 0 && failure === '' && <p class="soft">{say('Nobody has changed anything.')}</p>}
      <WideTable heads={[say('When'), say('Who'), say('Meter'), say('What'), say('Outcome')]} class="activity">
        {shown.map((record) => (
          <tr key={record.n}>
            <td>{dayAndTime(record.at)}</td>
            <td>
              <bdi>{record.who}</bdi>
            </td>
            <td>{record.unit_id}</td>
            <td>
              {record.method} {record.route?.replace('/{unit_id}/', '')}
              {fieldsOf(record.body) !== '' && <span class="soft"> {fieldsOf(record.body)}</span>}
            </td>
            <td class={Number(record.status) < 400 ? '' : 'said bad'}>{record.code ?? say('done')}</td>
          </tr>
        ))}
      </WideTable>
      {next !== null && (
        <button type="button" onClick={() => void read(records, next)}>
          {say('Show more')}
        </button>
      )}
    </section>
  );
}

/** Names of what was given, and values where they are short. Secrets are masked in the log itself. */
function fieldsOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  return Object.entries(body)
    .map(([name, value]) => (typeof value === 'object' ? name : `${name}: ${String(value).slice(0, 40)}`))
    .join(', ')
    .slice(0, 160);
}
