/** The picture of the site on which the plan shows the meters. */
import { useRef } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { PLAN } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { bytes } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { AskedTwice } from '../ui/asked-twice.tsx';
import { Card } from '../ui/card.tsx';
import { Link } from '../ui/link.tsx';
import { say, sayWith } from '../words/say.ts';

/** As the gateway takes it, bytes. */
const MOST = 5_000_000;

export function PlanPicture() {
  const { found, again } = useFound(() => client.value.call<schemas.GetPlanAnswer>('/_plan'), []);
  const { outcome, run, waits } = useAction();
  const input = useRef<HTMLInputElement>(null);
  const picture = found?.data.picture;
  const send = (file: File) =>
    run(async () => {
      if (file.size > MOST)
        throw new Error(
          say('This file has {size}; the picture may have 5 MB. Save it smaller.', { size: bytes(file.size) }),
        );
      // The bytes show the type of the picture.
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
      return message;
    });
  return (
    <Card id="plan-picture" title={say('Picture of the plan')}>
      <p class="soft">
        {sayWith(
          'A drawing or a photograph of the site, PNG or JPEG, up to 5 MB. Then put the meters on it under {plan}. Every key may see it.',
          { plan: picture ? <Link to={PLAN}>{say('Plan')}</Link> : <em>{say('Plan')}</em> },
        )}
      </p>
      <label class="field">
        {picture ? say('Another picture; the meters keep their places') : say('Picture')}
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
            {say('{width} x {height} pixels, {size}', {
              width: String(picture.width),
              height: String(picture.height),
              size: bytes(picture.bytes),
            })}
          </span>
          <AskedTwice
            first={say('Remove the picture')}
            sure={say('Yes, remove it with the places of the meters')}
            keep={say('Keep it')}
            waits={waits}
            work={() => void remove()}
          />
        </div>
      )}
      <Said outcome={outcome} waiting={say('It is being sent ...')} />
    </Card>
  );
}
