/** The frame around every page: the navigation, problems of the connection to the gateway, and the page itself. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { FleetPage } from '../fleet/fleet-page.tsx';
import type { PlanProps } from '../fleet/fleet-plan.tsx';
import icon from '../icon.svg';
import { OverviewPage } from '../overview/overview-page.tsx';
import { PAGES } from '../pages.ts';
import { about, isSignedIn, login, signOut } from '../state/access.ts';
import { anchor, go, type OwnPage, page } from '../state/address.ts';
import { countToSee } from '../state/alerts.ts';
import { follow, lostSince, meters, tick } from '../state/fleet.ts';
import { span, whole } from '../state/numbers.ts';
import { Link } from '../ui/link.tsx';
import { PartsBroken } from '../ui/parts-broken.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { say, sayWith } from '../words/say.ts';
import { LanguageChoice, LoginPage, OpenPage } from './login-page.tsx';
import { WithRest } from './rest.tsx';
import { useTitle } from './title.ts';

/** The whole dashboard; without a key the form for one. */
export function App() {
  const { state } = login.value;
  useEffect(() => {
    if (state !== 'in') return;
    const leaving = new AbortController();
    void follow(leaving.signal);
    return () => leaving.abort();
  }, [state]);
  const path = JSON.stringify([page.value, anchor.value]);
  const before = useRef(anchor.value === '' ? path : '');
  // A screen reader reads the heading of a new page, or of the section of the address. The keyboard goes on there.
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    return anchor.value === '' ? focusOnceThere('main h1') : focusOnceThere(`[id="${CSS.escape(anchor.value)}"]`);
  }, [path]);
  // Also for a person who is signed in.
  if (page.value.name === 'invitation' || page.value.name === 'verify')
    return <OpenPage title={page.value.title(say)} view={page.value.view} />;
  if (login.value.state === 'wanted') return <LoginPage why={login.value.why} wasKey={login.value.byKey} />;
  if (state === 'in' && page.value.name === 'wall')
    return (
      <main>
        <CurrentPage />
      </main>
    );
  return (
    <>
      <button type="button" class="skip" onClick={() => focusOn('main')}>
        {say('Skip to the content')}
      </button>
      <header class="top">
        <Link to="" class="brand">
          <img src={icon} alt="" width="24" height="24" />
          {say('Sound levels')}
        </Link>
        <nav aria-label={say('Pages')}>
          {PAGES.filter((one) => 'hasTab' in one).map(({ name, address, title }) => (
            <Link key={name} to={address} class="tab" current={tabOf(page.value) === address}>
              {title(say)} {name === 'alerts' && <AlertCount />}
            </Link>
          ))}
        </nav>
        {state === 'in' && <Find />}
        <LanguageChoice />
        {isSignedIn.value && (
          <button type="button" class="plain" onClick={() => void signOut()}>
            {say('Sign out {name}', { name: about.value?.caller.name ?? '' })}
          </button>
        )}
      </header>
      <main tabIndex={-1}>
        <ConnectionLost />
        <PartsBroken look="trouble act" />
        {state === 'in' ? <CurrentPage /> : <Skeleton what={say('The gateway is being asked ...')} />}
      </main>
    </>
  );
}

const tabOf = (shown: typeof page.value) => ('address' in shown ? shown.address.split('/')[0] : undefined);

/** While its data is asked for, a page has no heading: the keyboard waits for it at `main`, unless somebody moves it. Returns how to wait no longer. */
function focusOnceThere(what: string): () => void {
  const watch = new MutationObserver(() => {
    if (document.activeElement?.localName !== 'main' || focusOn(what)) watch.disconnect();
  });
  if (!focusOn(what) && focusOn('main')) watch.observe(document.body, { childList: true, subtree: true });
  return () => watch.disconnect();
}

function focusOn(what: string): boolean {
  const element = document.querySelector<HTMLElement>(what);
  if (element) element.tabIndex = -1;
  element?.focus({ preventScroll: true });
  if (element?.id) element.scrollIntoView();
  return element !== null;
}

function CurrentPage() {
  const { value } = page;
  if (value.name === 'nowhere') return <Nowhere />;
  if (value.name === 'event') return <CurrentEvent id={value.id} />;
  if (value.name !== 'meter') return <CurrentOwnPage current={value} />;
  const { unitId, part } = value;
  return (
    <WithRest>
      {(rest) => <rest.MeterPage key={unitId} unitId={unitId} part={part.name} View={rest[part.view]} />}
    </WithRest>
  );
}

function CurrentOwnPage({ current: { name, title, view } }: { readonly current: OwnPage }) {
  useTitle(title(say));
  if (view === null) return name === 'overview' ? <OverviewPage /> : <FirstPage />;
  return <WithRest>{({ [view]: View }) => <View />}</WithRest>;
}

function CurrentEvent({ id }: { readonly id: string }) {
  useTitle(say('Event'));
  return <WithRest>{({ EventPage }) => <EventPage key={id} id={id} />}</WithRest>;
}

/** The button of the dialog that finds meters, days, pages and actions; Ctrl-K and `/` press it. */
function Find() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isWriting = event.target instanceof Element && event.target.matches('input, textarea, select');
      const isMeant = event.ctrlKey || event.metaKey ? event.key === 'k' : event.key === '/' && !isWriting;
      if (!isMeant) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        class="plain find-button"
        aria-keyshortcuts="Control+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {say('Find')}
      </button>
      {isOpen && <WithRest>{({ FindDialog }) => <FindDialog close={() => setOpen(false)} />}</WithRest>}
    </>
  );
}

/** Whether the dashboard was opened at its root. A page that is loaded again stays, and so does a link to the list. */
let isOpened =
  performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'navigate') &&
  page.peek().name === 'fleet' &&
  location.search === '';

/** People who may see more than one meter begin with the overview; the list of meters is one click away. */
function FirstPage() {
  const count = meters.value?.size;
  const isOverview = isOpened && count !== undefined && count > 1;
  useEffect(() => {
    if (count === undefined) return;
    isOpened = false;
    if (isOverview) go('overview', { replace: true });
  }, [count]);
  if (isOverview) return <Skeleton what={say('The last days are being asked for ...')} />;
  if (isOpened && count === undefined) return <Skeleton what={say('The meters are being asked for ...')} />;
  return <FleetPage Plan={Plan} />;
}

function Plan(props: PlanProps) {
  return <WithRest>{({ FleetPlan }) => <FleetPlan {...props} />}</WithRest>;
}

function Nowhere() {
  useTitle(say('No such page'));
  return (
    <section class="card">
      <h1>{say('There is no such page')}</h1>
      <p>
        {sayWith('Nothing is at {address}. The address may be mistyped, or from another release.', {
          address: <code>{location.pathname}</code>,
        })}
      </p>
      <p>
        <Link to="">{say('All meters')}</Link>
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
      <span class="hidden-label">{say('to be looked at')}</span>
    </>
  );
}

function ConnectionLost() {
  if (lostSince.value === undefined) return null;
  void tick.value;
  return (
    <p class="trouble act" role="alert">
      <strong>
        {say('The gateway has not answered for {length}.', { length: span((Date.now() - lostSince.value) / 1_000) })}
      </strong>{' '}
      {say('All values below are from before. The page keeps trying.')}
    </p>
  );
}
