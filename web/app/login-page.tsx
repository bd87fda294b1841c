/** Asks for an API key. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { enter } from './access.ts';

/** The form for a key. `why`: what was wrong with the last one. */
export function LoginPage({ why }: { readonly why: string }) {
  const [key, setKey] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // After a wrong key one begins anew.
  useEffect(() => {
    setKey('');
    field.current?.focus();
  }, [why]);
  const submit = (event: Event) => {
    event.preventDefault();
    void enter(key.trim());
  };
  return (
    <main>
      <form class="card login" onSubmit={submit}>
        <h1>Sound levels</h1>
        <p>
          This gateway asks for an API key. It holds for all tabs of this browser, and is forgotten when the last of
          them is closed.
        </p>
        <label class="field">
          API key
          <input
            type="password"
            autoComplete="current-password"
            required
            ref={field}
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        </label>
        {why !== '' && (
          <p class="said bad" role="alert">
            {why}
          </p>
        )}
        <button type="submit" class="main">
          Sign in
        </button>
        <p class="soft small">
          The person who runs the gateway makes a key with <code>npm run keys -- create --name me --role viewer</code>
        </p>
      </form>
    </main>
  );
}
