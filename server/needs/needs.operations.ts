import { digestRef, needsAnswer } from '#contracts/needs.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { listNeeds } from './list-needs.query.ts'
import { readDigest } from './read-digest.ts'

export const needsOperations = operations('needs', {
  list: read('inbox.read', {
    summary: 'List what waits for you, the most urgent first',
    rest: 'GET /api/v1/needs',
    output: needsAnswer,
    run: ({ services, caller }) => listNeeds(services, caller),
  }),
  readDigest: write('push.own', {
    summary: 'Mark the digest of a day as read',
    rest: null,
    input: digestRef,
    output: digestRef,
    run: ({ services, caller }, input) => readDigest(services, input, caller),
  }),
})
