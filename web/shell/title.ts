/** Title and icon of the tab: they tell what needs a person while another tab is in front. */
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { countToSee } from '../state/alerts.ts';
import { needing } from '../state/fleet.ts';
import { say } from '../words/say.ts';

const title = signal('');

export function useTitle(words: string): void {
  useEffect(() => {
    title.value = words;
  }, [words]);
}

/** From now on. */
export function keepTitle(): void {
  effect(() => {
    const count = countToSee.value;
    const words = [title.value, say('Sound levels')].filter((each) => each !== '').join(' - ');
    document.title = count > 0 ? `(${count}) ${words}` : words;
  });
  effect(() => {
    const isCalm = countToSee.value === 0 && needing.value === '';
    document.querySelector('link[rel="icon"]')?.setAttribute('href', isCalm ? 'icon.svg' : 'icon-alarm.svg');
  });
}
