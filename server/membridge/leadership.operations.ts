import { grantView, leadershipHistory, leadershipView } from '#contracts/leadership.contract.ts'
import {
  grantOverrideRequest,
  keptHistory,
  leadershipHistoryQuery,
  leadershipListRequest,
  leadershipPage,
  leadershipRef,
  projectLeadership,
  promoteRequest,
  promotion,
} from '#contracts/leadership-console.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { getLeadership } from './get-leadership.query.ts'
import { grantOverride } from './grant-override.ts'
import { listLeadership } from './list-leadership.query.ts'
import { listLeadershipHistory } from './list-leadership-history.query.ts'
import { measureHistory } from './measure-history.query.ts'
import { promote } from './promote.ts'
import { readLeadership } from './read-leadership.query.ts'

/**
 * Leadership for people: owner and operator read and promote, the owner grants overrides. The console asks for the password where a promotion forces or
 * loses something; over REST every promotion needs it. What writes the store commits its own rows, before and after.
 */
export const leadershipOperations = operations('leadership', {
  list: read('leadership.read', {
    summary: 'List projects with their primary, lease and last push, as last seen',
    rest: 'GET /api/v1/membridge/leadership',
    input: leadershipListRequest,
    output: leadershipPage,
    run: ({ services }, input) => listLeadership(services, input),
  }),
  read: read('leadership.read', {
    summary: 'Read the leadership of a project from the store',
    rest: 'GET /api/v1/membridge/projects/{cid}/leadership',
    trpc: false,
    input: leadershipRef,
    output: leadershipView,
    run: ({ services }, input) => readLeadership(services, input),
  }),
  get: read('leadership.read', {
    summary: 'Get the leadership of a project with everything its page shows',
    rest: null,
    input: leadershipRef,
    output: projectLeadership,
    run: ({ services }, input) => getLeadership(services, input),
  }),
  kept: read('leadership.read', {
    summary: 'Measure the snapshots that a project keeps',
    rest: 'GET /api/v1/membridge/projects/{cid}/kept',
    input: leadershipRef,
    output: keptHistory,
    run: ({ services }, input) => measureHistory(services, input),
  }),
  history: read('leadership.read', {
    summary: 'List changes of leadership, newest first',
    rest: 'GET /api/v1/membridge/projects/{cid}/leadership/history',
    input: leadershipHistoryQuery,
    output: leadershipHistory,
    run: ({ services }, input) => listLeadershipHistory(services, input),
  }),
  promote: write('leadership.select', {
    summary: 'Promote a node to primary',
    rest: null,
    transaction: 'own',
    input: promoteRequest,
    output: promotion,
    run: ({ services, caller, steppedUp }, input) => promote(services, input, { caller, steppedUp }),
  }),
  select: write('leadership.select', {
    summary: 'Promote a node to primary; a loss of records must be accepted by its number',
    rest: 'POST /api/v1/membridge/projects/{cid}/leadership/select',
    trpc: false,
    transaction: 'own',
    stepUp: true,
    input: promoteRequest,
    output: promotion,
    run: ({ services, caller, steppedUp }, input) => promote(services, input, { caller, steppedUp }),
  }),
  grant: write('leadership.grant', {
    summary: 'Grant a node an override for a limited time',
    rest: 'POST /api/v1/membridge/projects/{cid}/grants',
    status: 201,
    stepUp: true,
    input: grantOverrideRequest,
    output: grantView,
    run: ({ services, caller }, input) => grantOverride(services, input, caller),
  }),
})
