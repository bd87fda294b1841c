/** Checks that a schema cannot make: which fields of a target belong together. Every message says what to change. Pure. */
import { formProblems, type InputError, withDefaults } from '../../../lib/index.ts';
import type { Target, TargetBody } from './target.ts';
import type { Present, TargetKind } from './target-kind.ts';

/** The body of a request after its schema: each field is of its type, and the common ones have their defaults. */
export interface TargetInput extends TargetBody {
  readonly secret?: string;
  readonly [name: string]: unknown;
}

/** `present`: the target that is to be replaced. */
export function targetProblems(given: TargetInput, kinds: readonly TargetKind[], present?: Present): InputError[] {
  const kind = kinds.find(({ name }) => name === given.kind);
  if (!kind) return [];
  return [...formProblems('targets', kind, kinds, given), ...(kind.problems?.(given, present) ?? [])];
}

/** A body that passed all checks, without its secret. */
export function targetOf({ secret: _, ...given }: TargetInput, kinds: readonly TargetKind[]): TargetBody {
  return withDefaults(kinds.find(({ name }) => name === given.kind)?.fields ?? [], given);
}

/** The target that a change replaces. */
export const asPresent = (target: Target, hasSecret: boolean): Present => ({ ...target, hasSecret });
