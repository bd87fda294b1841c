/** The script in the browser of a reader. Without it the page has the same numbers, but does not update them. */

/** Updates the content of `main` from the path of the page with `/main`; if this fails, the page says so. */
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
