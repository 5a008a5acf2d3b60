import { needsAnswer } from '#contracts/needs.contract.ts'
import { operations, read } from '#server/operations/operation.ts'
import { listNeeds } from './list-needs.query.ts'

export const needsOperations = operations('needs', {
  list: read('inbox.read', {
    summary: 'List what waits for you, the most urgent first',
    rest: 'GET /api/v1/needs',
    output: needsAnswer,
    run: ({ services, caller }) => listNeeds(services, caller.role),
  }),
})
