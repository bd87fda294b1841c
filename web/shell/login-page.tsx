/** Asks for name and password, or for an API key. The choice of the language is here, too. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, enter, enterAs } from '../state/access.ts';
import { ROOT } from '../state/address.ts';
import { KEPT_AS, language } from '../words/language.ts';
import { LANGUAGES } from '../words/languages.ts';
import { say, sayWith } from '../words/say.ts';
import { WithRest } from './rest.tsx';
import { useTitle } from './title.ts';

/** How one can sign in while that is not known. */
const BY_KEY: schemas.WaysToSignIn = { password: false, first_admin: false, issuer: null };

/** The form to sign in. `why`: what was wrong with the last key, or that the session has ended; `wasKey`: it was by a key. */
export function LoginPage({ why, wasKey }: { readonly why: string; readonly wasKey: boolean }) {
  const [ways, setWays] = useState<schemas.WaysToSignIn>();
  const [wantsKey, setWantsKey] = useState(wasKey);
  useEffect(() => {
    client.value.waysToSignIn().then(setWays, () => setWays(BY_KEY));
  }, []);
  if (!ways) return <main />;
  if (ways.first_admin) return <OpenPage title={say('Invitation')} view="InvitationPage" />;
  const byKey = wantsKey || !ways.password;
  return (
    <main>
      <div class="card login">
        <h1>{say('Sound levels')}</h1>
        {ways.issuer !== null && (
          <>
            <a class="button main" href={issuerAddress()}>
              {say('Sign in with {name}', { name: ways.issuer })}
            </a>
            <p class="soft">{say('or ## between two ways to sign in')}</p>
          </>
        )}
        {byKey ? <KeyForm why={why} /> : <PasswordForm why={why} />}
        {ways.password && (
          <button type="button" class="plain" onClick={() => setWantsKey(!byKey)}>
            {byKey ? say('Sign in with name and password') : say('Use an API key')}
          </button>
        )}
        <LanguageChoice />
      </div>
    </main>
  );
}

/** Pages that need no key: an invitation, also by the code for the first admin, and the check of a report. */
export function OpenPage({ title, view }: { readonly title: string; readonly view: 'InvitationPage' | 'CheckPage' }) {
  useTitle(title);
  return (
    <WithRest>
      {({ [view]: View }) => (
        <View>
          <LanguageChoice />
        </View>
      )}
    </WithRest>
  );
}

const KEY_COMMAND = 'npm run keys -- create --name me --role viewer';

/** Back to the page that was asked for. */
const issuerAddress = (): string => {
  const here = location.pathname.slice(ROOT.pathname.length) + location.search;
  return new URL(`sign-in?to=${encodeURIComponent(here)}`, ROOT).href;
};

function PasswordForm({ why }: { readonly why: string }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [said, setSaid] = useState(why);
  const [waits, setWaits] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    setWaits(true);
    setSaid('');
    try {
      await enterAs(name.trim(), password);
    } catch (error) {
      // The texts of forms stay out of the first script.
      setSaid(error instanceof Error ? error.message : String(error));
      setPassword('');
      setWaits(false);
    }
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <label class="field">
        {say('Name')}
        <input
          type="text"
          autoComplete="username"
          required
          maxLength={64}
          ref={field}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label class="field">
        {say('Password')}
        <input
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onInput={({ currentTarget }) => setPassword(currentTarget.value)}
        />
      </label>
      <Wrong why={said} />
      <button type="submit" class="main" disabled={waits}>
        {say('Sign in')}
      </button>
    </form>
  );
}

function KeyForm({ why }: { readonly why: string }) {
  const [key, setKey] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // After a wrong key the field is empty.
  useEffect(() => {
    setKey('');
    field.current?.focus();
  }, [why]);
  const submit = (event: Event) => {
    event.preventDefault();
    void enter(key.trim());
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p>
        {say(
          'This gateway asks for an API key. It holds for all tabs of this browser, and is forgotten when the last of them is closed.',
        )}
      </p>
      <label class="field">
        {say('API key')}
        <input
          type="password"
          autoComplete="current-password"
          required
          ref={field}
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </label>
      <Wrong why={why} />
      <button type="submit" class="main">
        {say('Sign in')}
      </button>
      <p class="soft small">
        {sayWith('The person who runs the gateway makes a key with {command}', { command: <code>{KEY_COMMAND}</code> })}
      </p>
    </form>
  );
}

function Wrong({ why }: { readonly why: string }) {
  if (why === '') return null;
  return (
    <p class="said bad" role="alert">
      {why}
    </p>
  );
}

export function LanguageChoice() {
  const choose = (code: string) => {
    localStorage.setItem(KEPT_AS, code);
    location.reload();
  };
  return (
    <select
      class="language"
      aria-label={say('Language')}
      value={language}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {Object.entries(LANGUAGES).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
