import {
  approveInput,
  commandAnswer,
  extendInput,
  forceInput,
  patchProposalInput,
  proposalIdInput,
  rejectInput,
  successorAnswer,
} from '#contracts/proposal.contract.ts'
import { proposalCommands } from '#server/proposals/commands.ts'
import { patchProposal } from '#server/proposals/patch-proposal.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Proposals'
const params = proposalIdInput
const at = (rest = '') => `/api/v1/proposals/{proposal_id}${rest}`
const DECIDE = { action: 'proposal.decide' } as const

const simple = (name: 'undo' | 'discard' | 'archive' | 'unarchive', summary: string): AnyRoute =>
  route({
    method: 'post',
    path: at(`/${name}`),
    policy: DECIDE,
    summary,
    tag,
    params,
    response: commandAnswer,
    handle: (call) => proposalCommands[name](call.services, call.params, call.caller),
  })
const successor = (name: 'resubmit' | 'revert', summary: string): AnyRoute =>
  route({
    method: 'post',
    path: at(`/${name}`),
    policy: DECIDE,
    summary,
    tag,
    params,
    response: successorAnswer,
    status: 201,
    handle: async (call) => {
      const outcome = await proposalCommands[name](call.services, call.params, call.caller)
      if (outcome.ok && outcome.value.unchanged) call.answer.status = 200
      return outcome
    },
  })

/** What the owner (and, for a retry, an operator) does to a proposal. */
export const proposalCommandRoutes: AnyRoute[] = [
  route({
    method: 'patch',
    path: at(),
    policy: DECIDE,
    summary: 'Approve or reject, by status',
    tag,
    params,
    body: patchProposalInput.omit({ proposal_id: true }),
    response: commandAnswer,
    handle: (call) => patchProposal(call.services, { ...call.body, ...call.params }, call.caller),
  }),
  route({
    method: 'post',
    path: at('/approve'),
    policy: DECIDE,
    summary: 'Approve exactly what was reviewed',
    tag,
    params,
    body: approveInput.omit({ proposal_id: true }),
    response: commandAnswer,
    handle: (call) => proposalCommands.approve(call.services, { ...call.body, ...call.params }, call.caller),
  }),
  route({
    method: 'post',
    path: at('/reject'),
    policy: DECIDE,
    summary: 'Reject, with a note the agent learns from',
    tag,
    params,
    body: rejectInput.omit({ proposal_id: true }),
    response: commandAnswer,
    handle: (call) => proposalCommands.reject(call.services, { ...call.body, ...call.params }, call.caller),
  }),
  route({
    method: 'post',
    path: at('/force'),
    policy: { action: 'proposal.decide', stepUp: true },
    summary: 'Overwrite exactly the stated content after a conflict',
    tag,
    params,
    body: forceInput.omit({ proposal_id: true }),
    response: commandAnswer,
    handle: (call) =>
      proposalCommands.force(call.services, { ...call.body, ...call.params }, call.caller, call.steppedUp),
  }),
  route({
    method: 'post',
    path: at('/extend'),
    policy: DECIDE,
    summary: 'More time to decide, with a reason',
    tag,
    params,
    body: extendInput.omit({ proposal_id: true }),
    response: commandAnswer,
    handle: (call) => proposalCommands.extend(call.services, { ...call.body, ...call.params }, call.caller),
  }),
  route({
    method: 'post',
    path: at('/retry'),
    policy: { action: 'proposal.retry' },
    summary: 'Apply once more after a failure',
    tag,
    params,
    response: commandAnswer,
    handle: (call) => proposalCommands.retry(call.services, call.params, call.caller),
  }),
  simple('undo', 'Take an approval back before it is applied'),
  simple('discard', 'Close a rejected proposal'),
  simple('archive', 'Out of the default lists'),
  simple('unarchive', 'Back into the default lists'),
  successor('resubmit', 'The same change on the content as it is now'),
  successor('revert', 'A proposal that takes an applied one back'),
]
