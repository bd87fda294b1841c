/** Signs people in by an issuer (OpenID Connect). Passwords, keys and sessions belong to the gateway itself; see docs/people.md. */
import {
  type Arrival,
  BoundedMap,
  cookieIn,
  cookieText,
  type ErrorPage,
  pagePolicy,
  wholePage,
} from '../../lib/built-in.ts';
import { GatewayError, type Host, html, type Plugin, type Request, type Schema, text } from '../../lib/index.ts';
import { BegunSignIns, Issuer, personIn } from './issuer.ts';
import { checkPeopleSettings, PEOPLE_SETTINGS, type PeopleSettings } from './settings.ts';

const STYLE = `
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 32rem; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25 }
a { display: inline-block; padding: .75rem 0; color: LinkText }
`;

/** If a sign-in by the issuer failed. `root`: the relative path from the page to the root of the gateway. */
const failedPage =
  (root: string): ErrorPage =>
  (error) => ({
    html: wholePage({
      language: 'en',
      title: 'Signing in did not work',
      sheet: STYLE,
      isUnlisted: true,
      content: html`<h1>Signing in did not work</h1>
<p role="alert">${error.message}</p>
<p><a href="${root}sign-in">Try again</a></p>
<p><a href="${root}">Sign in another way</a></p>`,
    }),
    policy: pagePolicy(STYLE),
  });

const START = '/sign-in';
const CALLBACK = `${START}/callback`;
const COOKIE = 'slm_sign_in';
const LOOK_AGAIN_MS = 3_600_000;
const LOOK_SOON_MS = 60_000;
const MOST_TOKENS = 5_000;
/** The most characters of the address to return to: its cookie must fit into a browser. */
const LONGEST_WAY = 2_048;

const plugin: Plugin<PeopleSettings> = {
  name: 'people',
  about: 'Signing in by an issuer (OpenID Connect)',
  settings: PEOPLE_SETTINGS,
  register(host) {
    checkPeopleSettings(host.settings);
    if (host.settings.issuer === '') return;
    const issuer = new Issuer(host);
    watch(host, issuer);
    /** ID tokens by session, for the issuer's sign-out. Without its token, after a restart, the issuer asks the person. */
    const tokens = new BoundedMap<{ readonly idToken: string; readonly back: string }>(MOST_TOKENS);
    const end = host.issuerSessions.offer({
      title: host.settings.issuer_name || new URL(host.settings.issuer).host,
      signOut(session) {
        const token = tokens.take(session);
        const back = token?.back ?? host.settings.public_url;
        return back === '' ? undefined : issuer.signOutAddress(token?.idToken, back);
      },
    });
    host.onStop(end);
    addRoutes(host, issuer, (session, token) => tokens.set(session, token));
  },
};
export default plugin;

/** A broken issuer is reported before a person needs it. The gateway starts without its issuer; passwords and keys work. */
function watch(host: Host<PeopleSettings>, issuer: Issuer): void {
  const detail = 'The issuer that signs people in cannot be asked; the log says why.';
  host.part('sign-in', () => (issuer.isWell ? undefined : { detail }));
  let cancel = () => {};
  const look = () =>
    issuer.look().then(
      () => LOOK_AGAIN_MS,
      () => LOOK_SOON_MS,
    );
  const again = () =>
    void look().then((ms) => {
      if (!host.signal.aborted) cancel = host.clock.after(ms, again);
    });
  again();
  host.onStop(() => cancel());
}

type Keep = (session: string, token: { readonly idToken: string; readonly back: string }) => void;

const PARAM: Schema = { type: 'string', maxLength: 4_096 };

function addRoutes(host: Host<PeopleSettings>, issuer: Issuer, keep: Keep): void {
  const begun = new BegunSignIns(host.clock);
  const common = { method: 'GET', access: 'public', besideBase: true, answer: 'text', statuses: [303] } as const;
  host.route<unknown, { to: string }>({
    ...common,
    path: START,
    operation: 'signInByIssuer',
    summary: 'Begin to sign in by the issuer',
    description: 'For browsers: sends them to the issuer, which sends them back.',
    query: {
      to: { type: 'string', maxLength: LONGEST_WAY, default: '', description: 'Where to go then, below the root.' },
    },
    errors: ['ISSUER_FAILED', 'ADDRESS_REFUSED'],
    errorPage: failedPage('./'),
    async handle(request) {
      const arrival = arrivalOf(request);
      const { address, signIn } = await issuer.begin(callbackOf(host, arrival), below(request.query.to));
      return goOn(address, [cookieText(arrival, begun.seal(signIn), COOKIE)]);
    },
  });
  host.route({
    ...common,
    path: CALLBACK,
    operation: 'endSignInByIssuer',
    summary: 'Where the issuer sends a browser back to',
    query: Object.fromEntries(['code', 'state', 'iss', 'error', 'error_description'].map((name) => [name, PARAM])),
    errors: ['SIGN_IN_FAILED', 'SIGN_IN_REFUSED', 'ISSUER_FAILED', 'ADDRESS_REFUSED', 'STORAGE_FULL', 'STORAGE_FAILED'],
    errorPage: failedPage('../'),
    async handle(request) {
      const arrival = arrivalOf(request);
      const signIn = begun.take(cookieIn(arrival, COOKIE));
      if (!signIn)
        throw new GatewayError(
          'SIGN_IN_FAILED',
          'This sign-in was not begun in this browser, or more than ten minutes ago.',
        );
      const query = new URLSearchParams(Object.entries(request.query as Record<string, string>));
      const confirmed = async () => {
        const { claims, idToken } = await issuer.confirm(signIn, callbackOf(host, arrival), query.toString());
        return { person: personIn(claims, host.settings), idToken };
      };
      const { person, idToken } = await confirmed().catch((error: unknown) => {
        host.issuerSessions.failed(error, arrival);
        throw error;
      });
      const { cookie, session } = await host.issuerSessions.begin(person, arrival);
      keep(session, { idToken, back: `${rootOf(host, arrival)}/` });
      return goOn(`../${signIn.to}`, [cookie, cookieText(arrival, '', COOKIE)]);
    },
  });
}

const goOn = (address: string, cookies: string[]) =>
  text(
    { text: '', contentType: 'text/html; charset=utf-8' },
    { status: 303, headers: { Location: address, 'Set-Cookie': cookies } },
  );

function arrivalOf({ arrival }: Request<unknown, never> | Request): Arrival {
  if (!arrival) throw new GatewayError('NOT_FOUND', 'This is for browsers.');
  return arrival;
}

/** The root of the gateway for browsers, without a slash at the end. The host of a request was checked against the settings. */
const rootOf = ({ settings }: Host<PeopleSettings>, { origin }: Arrival): string => settings.public_url || origin;

const callbackOf = (host: Host<PeopleSettings>, arrival: Arrival): string => `${rootOf(host, arrival)}${CALLBACK}`;

/** A relative path that stays below the root, whatever the request contains. */
function below(to: string): string {
  const root = 'http://root.invalid/';
  if (!URL.canParse(to, root)) return '';
  const { origin, pathname, search, hash } = new URL(to, root);
  const way = `${pathname.replace(/^\/+/, '')}${search}${hash}`;
  return `${origin}/` === root && way.length <= LONGEST_WAY ? way : '';
}
