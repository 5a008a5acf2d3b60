import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations, operationList } from '#server/composition/all-operations.ts'
import { routesOf } from '#server/http/route.ts'
import { OPEN_OPERATIONS, type Operation, operations, read, write } from '#server/operations/operation.ts'
import { policyOf } from '#server/operations/policy-of.ts'
import { procedureOf } from '#server/trpc/trpc.ts'

const output = z.object({})
const planted = (right: string | undefined): Operation => {
  const { thing } = operations('planted', {
    thing: read('job.read', { summary: 'x', rest: 'GET /x', output, run: async () => ({}) }),
  })
  return { ...thing, right: right as never }
}

describe('a right', () => {
  // Types: what is not `true` here does not compile as the right of an operation.
  type Right<T> = T extends Parameters<typeof read>[0] & Parameters<typeof write>[0] ? true : false
  const compiles: [Right<'job.read'>, Right<'open'>, Right<undefined>, Right<'job.fly'>] = [
    true,
    true,
    false,
    false,
  ]

  test('is one of the matrix, or open: nothing else compiles', () => {
    expect(compiles).toEqual([true, true, false, false])
  })

  test.each([undefined, '', 'job.fly', 'toString', 'open'])('%s stops the start on both edges', (right) => {
    expect(() => policyOf(planted(right))).toThrow('planted.thing')
    expect(() => routesOf(planted(right))).toThrow('planted.thing')
    expect(() => procedureOf(planted(right))).toThrow('planted.thing')
  })

  test('is there for every operation, and the open ones are on the list, all of them', () => {
    for (const operation of operationList) expect(() => policyOf(operation)).not.toThrow()
    const open = operationList.filter(({ right }) => right === 'open').map(({ name }) => name)
    expect(open).toEqual(Object.keys(OPEN_OPERATIONS))
  })
})

describe('a declaration', () => {
  test('stands under its room, by its name', () => {
    const names = Object.entries(allOperations).flatMap(([room, declared]) =>
      Object.keys(declared).map((name) => `${room}.${name}`),
    )
    expect(operationList.map(({ name }) => name)).toEqual(names)
  })

  test('is offered somewhere, each address by one', () => {
    for (const { name, trpc, rest } of operationList)
      expect([name, trpc || rest.length > 0]).toEqual([name, true])
    const addresses = operationList.flatMap(({ rest }) => rest.map(({ at }) => at))
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  test('has a transaction of its own only for a reason that is known', () => {
    const own = operationList.filter(({ transaction }) => transaction === 'own').map(({ name }) => name)
    expect(own.sort()).toEqual([
      'agents.command',
      'approvalRules.dryRun',
      'jobs.bulkExecute',
      'jobs.bulkPreview',
      'jobs.cancel',
      'leadership.promote',
      'leadership.select',
      'proposals.batch',
      'proposals.edit',
      'proposals.rebase',
      'proposals.requestChanges',
      'proposals.undo',
      'runs.cancel',
      'runs.request',
      'runs.rerun',
      'runtime.testConnection',
      'sessions.setPassword',
      'sessions.stepUp',
      'tasks.cancel',
      'tasks.requeue',
      'workers.commandAgent',
      'workers.release',
      'workers.remove',
    ])
    const routes = operationList.flatMap((operation) =>
      routesOf(operation).map((at) => [operation, at] as const),
    )
    for (const [{ transaction }, at] of routes)
      expect([at.path, at.transaction]).toEqual([at.path, transaction])
  })

  test('takes no field that it does not name', () => {
    for (const { name, input } of operationList) {
      if (input === null) continue
      const parsed = input.safeParse({ 'not known here': 1 })
      expect([name, JSON.stringify(parsed.error)]).toEqual([
        name,
        expect.stringContaining('unrecognized_keys'),
      ])
    }
  })

  test('that names a parameter its input does not have stops the start', () => {
    const run = async () => ({})
    const { lost } = operations('planted', {
      lost: write('job.operate', {
        summary: 'x',
        rest: 'POST /x/{y}',
        input: z.strictObject({}),
        output,
        run,
      }),
    })
    expect(() => routesOf(lost)).toThrow('no field y')
  })

  test('is taken apart by its address: parameters, then query or body', () => {
    const input = z.strictObject({ id: z.string(), verb: z.string(), text: z.string() })
    const run = async () => ({})
    const { one, other } = operations('planted', {
      one: write('job.operate', {
        summary: 'x',
        rest: { at: 'POST /x/{id}/go', fixed: { verb: 'go' } },
        input,
        output,
        run,
      }),
      other: read('job.read', { summary: 'x', rest: 'GET /x/{id}', input, output, run }),
    })
    const [[posted], [got]] = [routesOf(one), routesOf(other)]
    const fields = (schema: z.ZodType | undefined) => schema && Object.keys((schema as z.ZodObject).shape)
    expect([fields(posted?.params), fields(posted?.query), fields(posted?.body)]).toEqual([
      ['id'],
      undefined,
      ['text'],
    ])
    expect([fields(got?.params), fields(got?.query), fields(got?.body)]).toEqual([
      ['id'],
      ['verb', 'text'],
      undefined,
    ])
  })
})
