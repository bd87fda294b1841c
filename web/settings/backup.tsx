/** A backup by a button: everything but the key of the secrets. */
import { client } from '../state/access.ts';
import { Said, useAction } from '../ui/action.tsx';
import { save } from '../ui/download-link.tsx';
import { say, sayWith } from '../words/say.ts';

/** For admins. */
export function Backup() {
  const { outcome, run, waits } = useAction();
  const make = () =>
    run(async () => {
      const name = `slm-backup-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.tar.gz`;
      save(await client.value.blob('/_backup', { method: 'POST' }), name);
      return say('{file} is saved.', { file: name });
    });
  return (
    <section class="card" aria-labelledby="backup">
      <h2 id="backup">{say('Backup')}</h2>
      <p class="soft">
        {sayWith(
          'One file with all data, while everything goes on. The key of the stored passwords is not in it: keep it apart. Large histories are better fetched with {command}.',
          { command: <code>slm backup</code> },
        )}
      </p>
      <div class="row">
        <button type="button" disabled={waits} onClick={() => void make()}>
          {say('Save a backup')}
        </button>
        <Said outcome={outcome} waiting={say('It is being made ...')} />
      </div>
    </section>
  );
}
