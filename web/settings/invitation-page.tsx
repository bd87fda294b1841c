/** An invited person chooses name and password. Without a link the page asks for the code in the log, which makes the first admin. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { client, enterInvited } from '../state/access.ts';
import { go, page } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { dayWithYear } from '../state/numbers.ts';
import { codeOf, messageOf } from '../ui/action.tsx';
import { rightsText } from '../ui/rights.tsx';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';

const SHORTEST = 12;

/** `children`: below the form. */
export function InvitationPage({ children }: { readonly children?: ComponentChildren }) {
  const isByLink = page.value.name === 'invitation';
  // The secret of the link is behind #: browsers send it to nobody.
  const [link] = useState(isByLink ? location.hash.slice(1) : '');
  const { found: offer, failure } = useFound(
    async () => (isByLink ? client.value.lookAtInvitation(link || '-') : undefined),
    [],
  );
  return (
    <main>
      <div class="card login">
        <h1>{isByLink ? say('Invitation') : say('Welcome to your gateway')}</h1>
        {failure !== undefined && (
          <p class="said bad" role="alert">
            {problemOf(failure)}
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
  const [values, set] = useValues({ token: link, name: '', password: '' });
  const save = async () => {
    try {
      await enterInvited(values);
    } catch (error) {
      throw new Error(problemOf(error));
    }
    return '';
  };
  const length = { least: SHORTEST, most: 256 };
  return (
    <SchemaForm
      title={say('Sign in')}
      button={say('Sign in')}
      use={{ saved: () => link !== '' && go('', { replace: true }), isPlain: true }}
      parts={[
        link === '' && {
          name: 'token',
          label: say('Code from the log'),
          required: true,
          hint: 'ABCD-EFGH-JKLM-NPQR',
        },
        { name: 'name', label: say('Your name'), required: true, autoComplete: 'username' },
        {
          name: 'password',
          type: 'secret',
          label: say('New password'),
          required: true,
          autoComplete: 'new-password',
          pattern: `.{${SHORTEST},256}`,
          wrong: say('must have {least} to {most} characters; several words are easier to remember', length),
        },
      ]}
      values={values}
      set={set}
      save={save}
    >
      <p class="soft small">{say('At least 12 characters; several words are easier to remember.')}</p>
    </SchemaForm>
  );
}
