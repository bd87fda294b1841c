/**
 * The page of an invitation: the invited person chooses name and password. Without a link it asks for the code from the
 * log of the gateway, which makes the first admin.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, enterInvited } from '../state/access.ts';
import { go, page } from '../state/address.ts';
import { dayWithYear } from '../state/numbers.ts';
import { codeOf, messageOf, Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';
import { rightsText } from '../ui/rights.tsx';
import { say } from '../words/say.ts';

const SHORTEST = 12;

/** `children`: below the form. */
export function InvitationPage({ children }: { readonly children?: ComponentChildren }) {
  const isByLink = page.value.name === 'invitation';
  // The secret of the link is behind #: browsers send it to nobody.
  const [link] = useState(isByLink ? location.hash.slice(1) : '');
  const [offer, setOffer] = useState<schemas.InvitationOffer>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (isByLink) client.value.lookAtInvitation(link || '-').then(setOffer, (error) => setProblem(problemOf(error)));
  }, []);
  return (
    <main>
      <div class="card login">
        <h1>{isByLink ? say('Invitation') : say('Welcome to your gateway')}</h1>
        {problem !== '' && (
          <p class="said bad" role="alert">
            {problem}
          </p>
        )}
        {offer && (
          <p>
            {rightsText(offer)}
            {offer.until && `, ${say('until {time}', { time: dayWithYear(offer.until) })}`}
          </p>
        )}
        {!isByLink && (
          <p>
            {say(
              'Nobody can sign in yet. The gateway has written a code into its log: with it you become the first admin.',
            )}
          </p>
        )}
        {(offer || !isByLink) && <NewPerson link={link} />}
        {children}
      </div>
    </main>
  );
}

const problemOf = (error: unknown): string =>
  codeOf(error) === 'INVITATION_NOT_FOUND'
    ? say('This invitation or code is unknown, was used, or has ended. Ask for a new one.')
    : messageOf(error);

function NewPerson({ link }: { readonly link: string }) {
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { outcome, run, waits } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    const isIn = await run(async () => {
      try {
        await enterInvited({ token: link || code.trim(), name: name.trim(), password });
      } catch (error) {
        throw new Error(problemOf(error));
      }
      return '';
    });
    if (isIn && link !== '') go('', { replace: true });
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {link === '' && (
        <Field label={say('Code from the log')} value={code} change={setCode} required hint="ABCD-EFGH-JKLM-NPQR" />
      )}
      <Field label={say('Your name')} value={name} change={setName} required autoComplete="username" />
      <Field
        label={say('New password')}
        type="password"
        value={password}
        change={setPassword}
        required
        autoComplete="new-password"
        pattern={`.{${SHORTEST},256}`}
        wrong={say('must have {least} to {most} characters; several words are easier to remember', {
          least: SHORTEST,
          most: 256,
        })}
      />
      <p class="soft small">{say('At least 12 characters; several words are easier to remember.')}</p>
      <div class="row">
        <button type="submit" class="main" disabled={waits}>
          {say('Sign in')}
        </button>
        <Said outcome={outcome} waiting="" />
      </div>
    </form>
  );
}
