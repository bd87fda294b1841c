/** The quality of recorded levels, in words. */
import { say } from '../words/say.ts';

const WORDS: Readonly<Record<string, () => string>> = {
  measured: () => say('measured'),
  partial: () => say('partial ## quality of levels'),
  sampled: () => say('sampled ## quality of levels'),
  mixed: () => say('mixed ## quality of levels'),
  flagged: () => say('flagged ## quality of levels'),
  none: () => say('none ## quality of levels'),
};

/** Of a quality as rows have it; an unknown one as it is. */
export const qualityWord = (quality: string): string => WORDS[quality]?.() ?? quality;
