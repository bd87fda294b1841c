/** A real issuer (OpenID Connect) on loopback, with a form that takes any name. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Test } from 'tap';

const FORM = (path: string) =>
  `<!doctype html><html lang="en"><title>Issuer</title><form method="post" action="${path}"><label>Your name <input name="name"></label><button>Go on</button></form></html>`;

/** Its own page would ask for a font from outside. */
const logoutSource = (context: { body?: unknown }, form: string): void => {
  context.body = `<!doctype html><html lang="en"><title>Issuer</title>${form}<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button></html>`;
};

export interface RealIssuer {
  readonly url: string;
  /** From now on it sends browsers back to this gateway. `root`: with a slash at the end. */
  serve(root: string): void;
}

/** Everybody is in the group `acoustics`. It asks for a name at each sign-in, and whether somebody wants to sign out. */
export async function openRealIssuer(t: Test): Promise<RealIssuer> {
  // The gateway asks the issuer as soon as it starts, before the issuer knows the gateway: such requests wait.
  const early: [IncomingMessage, ServerResponse][] = [];
  const server = createServer((request, response) => void early.push([request, response]));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serve = (root: string) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: 'gateway',
          client_secret: 'a secret of this test alone',
          redirect_uris: [`${root}sign-in/callback`],
          post_logout_redirect_uris: [root],
        },
      ],
      claims: { openid: ['sub', 'preferred_username', 'groups'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['of this test alone'] },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true, logoutSource } },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({ sub: id, preferred_username: id, groups: ['acoustics'] }),
      }),
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      // All requested rights are granted without a question.
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    for (const [request, response] of early.splice(0)) answer(request, response);
    server.removeAllListeners('request');
    server.on('request', async (request, response) => {
      const path = request.url ?? '/';
      if (!path.startsWith('/interaction/')) return void answer(request, response);
      if (request.method === 'GET') return void response.setHeader('Content-Type', 'text/html').end(FORM(path));
      const name = new URLSearchParams(Buffer.concat(await request.toArray()).toString()).get('name') ?? '';
      await provider.interactionFinished(request, response, { login: { accountId: name } });
    });
  };
  return { url, serve };
}
