/** The few lines that run in the browser of a reader. Without them the page has the same numbers, and does not renew them. */

/** Renews what stands in `main` from the path of the page with `/main`; says so where it cannot. */
export const SHARE_SCRIPT = `
(() => {
  const note = document.getElementById('not-renewed');
  document.getElementById('renewed').hidden = false;
  const renew = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(location.pathname.replace(/\\/$/, '') + '/main', { headers: { Accept: 'text/html' }, cache: 'no-cache', signal: AbortSignal.timeout(15000) });
      if (!answer.ok && answer.status !== 404) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.getElementById('values');
      if (!fresh) throw new Error('no values');
      document.getElementById('values').replaceWith(fresh);
      note.hidden = true;
    } catch {
      note.hidden = false;
    }
  };
  setInterval(renew, 30000);
  document.addEventListener('visibilitychange', renew);
})();
`;
