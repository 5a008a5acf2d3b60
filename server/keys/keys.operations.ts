import {
  createdKey,
  createKeyRequest,
  keyListRequest,
  keyPage,
  keyRef,
  keyView,
  rotateKeyRequest,
} from '#contracts/key.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { createKey } from './create-key.ts'
import { listKeys } from './list-keys.query.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

/** Machine keys: operators see them; the owner makes and ends them, with a password of the last five minutes. */
export const keyOperations = operations('keys', {
  list: read('key.read', {
    summary: 'List machine keys, newest first',
    rest: 'GET /api/v1/keys',
    input: keyListRequest,
    output: keyPage,
    run: ({ services }, input) => listKeys(services, input),
  }),
  create: write('key.manage', {
    summary: 'Create a machine key; its secret is shown once',
    rest: 'POST /api/v1/keys',
    status: 201,
    stepUp: true,
    input: createKeyRequest,
    output: createdKey,
    run: ({ services, caller }, input) => createKey(services, input, caller),
  }),
  rotate: write('key.manage', {
    summary: 'Create the successor of a machine key; its secret is shown once',
    rest: 'POST /api/v1/keys/{key_id}/rotate',
    status: 201,
    stepUp: true,
    input: rotateKeyRequest,
    output: createdKey,
    run: ({ services, caller }, input) => rotateKey(services, input, caller),
  }),
  revoke: write('key.manage', {
    summary: 'Revoke a machine key permanently',
    rest: 'POST /api/v1/keys/{key_id}/revoke',
    stepUp: true,
    input: keyRef,
    output: keyView,
    run: ({ services, caller }, input) => revokeKey(services, input, caller),
  }),
})
