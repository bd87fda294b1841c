/** Shows how much noise each limit still allows, for one unit and for all. */
import { type Host, keyedPage, listQuery, NEXT, type PageQuery, reaches } from '../../../lib/index.ts';
import { BUDGET, type RuleBudget, UNIT_BUDGET } from './budget.ts';
import type { Watches } from './watches.ts';

const QUERY = listQuery({}, { type: 'string', maxLength: 80 });
/** Sorts by rule. */
const keyOf = ({ rule }: RuleBudget): string => rule.padStart(15, '0');

/** Two lists: of one unit, and of all that the API key may see. */
export function addBudgetRoutes(host: Host, watches: Watches): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/{unit_id}/budget',
    access: 'viewer',
    summary: 'Show how much noise each limit still allows',
    description: 'One entry for each level rule of the unit with a window now. The meter is not contacted.',
    query: QUERY,
    answer: { data: { type: 'array', items: BUDGET }, next: NEXT },
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId, query }) {
      host.configs.of(unitId);
      const { page, next } = keyedPage(watches.budgets(unitId), query, keyOf);
      return { data: page, next };
    },
  });

  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_budget',
    access: 'viewer',
    filtersUnits: true,
    operation: 'getBudgets',
    summary: 'Show how much noise each limit still allows, of all meters',
    description: 'Of units that the API key may see. Later changes come as `alert` on WS _live.',
    query: QUERY,
    answer: { data: { type: 'array', items: UNIT_BUDGET }, next: NEXT },
    errors: [],
    handle({ identity, query }) {
      const own = host.configs.list().filter(({ unitId }) => reaches(identity, unitId));
      const all = own.flatMap(({ unitId }) =>
        watches.budgets(unitId).map((budget) => ({ unit_id: unitId, ...budget })),
      );
      const { page, next } = keyedPage(all, query, (budget) => `${budget.unit_id}/${keyOf(budget)}`);
      return { data: page, next };
    },
  });
}
