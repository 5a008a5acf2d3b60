import { z } from 'zod'
import {
  accountRef,
  accountView,
  createOperatorRequest,
  resetPasswordRequest,
} from '#contracts/auth.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { listAccounts } from './list-accounts.query.ts'
import { createOperator, disableOperator, resetOperatorPassword } from './manage-accounts.ts'

/** Accounts: the owner's, and every change with a password of the last five minutes. */
export const accountOperations = operations('accounts', {
  list: read('account.manage', {
    summary: 'List accounts',
    rest: 'GET /api/v1/accounts',
    output: accountView.array(),
    run: ({ services }) => listAccounts(services),
  }),
  createOperator: write('account.manage', {
    summary: 'Add an operator',
    rest: 'POST /api/v1/accounts',
    status: 201,
    statusOf: () => 201,
    stepUp: true,
    input: createOperatorRequest,
    output: z.object({ account_id: z.string() }),
    run: ({ services, caller }, input) => createOperator(services, input, caller),
  }),
  disable: write('account.manage', {
    summary: 'Disable an operator permanently',
    rest: 'POST /api/v1/accounts/{account_id}/disable',
    stepUp: true,
    input: accountRef,
    output: z.literal(true),
    run: ({ services, caller }, input) => disableOperator(services, input, caller),
  }),
  resetPassword: write('account.manage', {
    summary: 'Reset the password of an operator',
    rest: 'POST /api/v1/accounts/{account_id}/password',
    stepUp: true,
    input: resetPasswordRequest,
    output: z.literal(true),
    run: ({ services, caller }, input) => resetOperatorPassword(services, input, caller),
  }),
})
