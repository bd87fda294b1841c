/** The picture of the site on which the plan shows the meters. */
import { useRef, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { PLAN } from '../app/address.ts';
import { useFound } from '../app/found.ts';
import { bytes } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Link } from '../ui/link.tsx';

/** As the gateway takes it, bytes. */
const MOST = 5_000_000;

/** For admins. */
export function PlanPicture() {
  const { found, again } = useFound(() => client.value.call<schemas.GetPlanAnswer>('/_plan'), []);
  const { outcome, run, waits } = useAction();
  const [isLeaving, setLeaving] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const picture = found?.data.picture;
  const send = (file: File) =>
    run(async () => {
      if (file.size > MOST)
        throw new Error(`This file has ${bytes(file.size)}; the picture may have 5 MB. Save it smaller.`);
      // What it is, its bytes say.
      const call = { method: 'PUT', file: new Blob([file], { type: 'application/octet-stream' }) } as const;
      const { message } = await client.value.call<schemas.PutPlanPictureAnswer>('/_plan/picture', call);
      again();
      return message;
    }).finally(() => {
      // The same file can be chosen once more.
      if (input.current) input.current.value = '';
    });
  const remove = () =>
    run(async () => {
      const { message } = await client.value.call<{ message: string }>('/_plan/picture', { method: 'DELETE' });
      again();
      setLeaving(false);
      return message;
    });
  return (
    <section class="card" aria-labelledby="plan-picture">
      <h2 id="plan-picture">Picture of the plan</h2>
      <p class="soft">
        A drawing or a photograph of the site, PNG or JPEG, up to 5 MB. Then put the meters on it under{' '}
        {picture ? <Link to={PLAN}>Plan</Link> : <em>Plan</em>}. Every key may see it.
      </p>
      <label class="field">
        {picture ? 'Another picture; the meters keep their places' : 'Picture'}
        <input
          ref={input}
          type="file"
          accept="image/png,image/jpeg"
          disabled={waits}
          onChange={({ currentTarget: { files } }) => files?.[0] && void send(files[0])}
        />
      </label>
      {picture && (
        <div class="row">
          <span class="soft small">
            {picture.width} x {picture.height} pixels, {bytes(picture.bytes)}
          </span>
          {isLeaving && (
            <button type="button" disabled={waits} onClick={() => void remove()}>
              Yes, remove it with the places of the meters
            </button>
          )}
          <button type="button" onClick={() => setLeaving(!isLeaving)}>
            {isLeaving ? 'Keep it' : 'Remove the picture'}
          </button>
        </div>
      )}
      <Said outcome={outcome} waiting="It is being sent ..." />
    </section>
  );
}
