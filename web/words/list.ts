/** Things one after the other in a text. */
import { language } from './language.ts';

/** `rain, wind` */
export const listOf = (parts: readonly string[]): string => parts.join(language === 'ja' ? '、' : ', ');
