/** The frame around every page: the navigation, problems of the connection to the gateway, and the page itself. */
import { useEffect } from 'preact/hooks';
import { FleetPage } from '../fleet/fleet-page.tsx';
import { Link } from '../ui/link.tsx';
import { about, askForKey, hasKey, login } from './access.ts';
import { page } from './address.ts';
import { countToSee } from './alerts.ts';
import { follow, lostSince, tick } from './fleet.ts';
import { LoginPage } from './login-page.tsx';
import { span, whole } from './numbers.ts';
import { WithRest } from './rest.tsx';

export function App() {
  const { state } = login.value;
  useEffect(() => {
    if (state !== 'in') return;
    const leaving = new AbortController();
    void follow(leaving.signal);
    return () => leaving.abort();
  }, [state]);
  if (login.value.state === 'wanted') return <LoginPage why={login.value.why} />;
  return (
    <>
      <header class="top">
        <Link to="" class="brand">
          <img src="icon.svg" alt="" width="24" height="24" />
          Sound levels
        </Link>
        <nav aria-label="Pages">
          <Link to="" class="tab" current={page.value.name === 'fleet'}>
            Meters
          </Link>
          <Link to="alerts" class="tab" current={page.value.name === 'alerts'}>
            Alerts <AlertCount />
          </Link>
          <Link to="settings" class="tab" current={page.value.name === 'settings'}>
            Settings
          </Link>
        </nav>
        {hasKey.value && (
          <button type="button" class="plain" onClick={() => askForKey('')}>
            Sign out {about.value?.caller.name}
          </button>
        )}
      </header>
      <main>
        <ConnectionLost />
        {state === 'in' ? <CurrentPage /> : <p class="soft">The gateway is being asked ...</p>}
      </main>
    </>
  );
}

function CurrentPage() {
  const shown = page.value;
  if (shown.name === 'fleet') return <FleetPage />;
  if (shown.name === 'settings') return <WithRest>{({ SettingsPage }) => <SettingsPage />}</WithRest>;
  if (shown.name === 'alerts') return <WithRest>{({ AlertsPage }) => <AlertsPage />}</WithRest>;
  if (shown.name === 'meter')
    return (
      <WithRest>{({ MeterPage }) => <MeterPage key={shown.unitId} unitId={shown.unitId} part={shown.part} />}</WithRest>
    );
  return (
    <section class="card">
      <h1>There is no such page</h1>
      <p>
        <Link to="">All meters</Link>
      </p>
    </section>
  );
}

function AlertCount() {
  const count = countToSee.value;
  if (count === 0) return null;
  return (
    <>
      <span class="count-mark">{whole(count)}</span>
      <span class="hidden-label">to be looked at</span>
    </>
  );
}

function ConnectionLost() {
  if (lostSince.value === undefined) return null;
  void tick.value;
  return (
    <p class="trouble act" role="alert">
      <strong>The gateway has not answered for {span((Date.now() - lostSince.value) / 1_000)}.</strong> All values below
      are from before. The page keeps trying.
    </p>
  );
}
