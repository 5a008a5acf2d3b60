import * as batch from '#contracts/proposal-batch.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { requireFullAccess } from '#server/zones/zone-scope.ts'
import { alikeProposals } from './alike.query.ts'
import { combinedDiff } from './combined-diff.query.ts'
import { decideBatch } from './decide-batch.ts'
import { previewBatch } from './preview-batch.query.ts'

/** Several proposals at once, and the groups of alike ones that are decided so. */
export const proposalBatches = operations('proposals', {
  batch: write('proposal.decide', {
    summary: 'Approve or reject up to 50 proposals, each by itself',
    rest: 'PATCH /api/v1/proposals/batch',
    input: batch.batchInput,
    output: batch.batchAnswer,
    // Each decision commits by itself: one that fails keeps no other from being made.
    transaction: 'own',
    run: ({ services, caller }, input) => decideBatch(services, input, caller),
  }),
  batchPreview: read('proposal.decide', {
    summary: 'Preview what a batch of decisions would do',
    rest: null,
    input: batch.batchPreviewInput,
    output: batch.batchPreview,
    run: ({ services }, input) => previewBatch(services, input),
  }),
  combined: read('proposal.read', {
    summary: 'Show what several proposals change together, by file',
    rest: null,
    input: batch.combinedInput,
    output: batch.combinedDiff,
    run: async ({ services, caller }, input) => combinedDiff(requireFullAccess(caller) && services, input),
  }),
  alike: read('proposal.read', {
    summary: 'List groups of alike pending proposals, outliers first',
    rest: 'GET /api/v1/proposals/alike',
    output: batch.alikeGroups,
    run: async ({ services, caller }) => alikeProposals(requireFullAccess(caller) && services),
  }),
})
