import { expect, test } from 'vitest'
import type { ProbeReport } from '#server/ports/object-store.ts'
import { createStoreConditions } from './store-conditions.ts'

const fit: ProbeReport = { ok: true, store: 's', checks: [{ name: 'read after write', ok: true }] }
const unfit: ProbeReport = {
  ok: false,
  store: 's',
  checks: [
    { name: 'read after write', ok: true },
    { name: 'replace refuses a stale etag', ok: false },
    { name: 'replace refuses a missing key', ok: false, detail: 'x' },
  ],
}

function conditionsOf(...reports: ProbeReport[]) {
  const count = { probes: 0 }
  const left = [...reports]
  const store = {
    probe: async () => {
      count.probes++
      return left.shift() ?? fit
    },
  }
  return { count, conditions: createStoreConditions(store, () => new Date(count.probes)) }
}

test('nothing is known before the first probe, and the last report is kept', async () => {
  const { conditions } = conditionsOf(unfit, fit)
  expect(conditions.last()).toBeNull()
  const first = await conditions.probe()
  expect(first).toEqual({
    ...unfit,
    probedAt: new Date(1),
    verdict: 'unfit',
    refusal:
      'The object store does not keep conditional writes: replace refuses a stale etag; replace refuses a missing key.',
  })
  expect(conditions.last()).toBe(first)
  expect(await conditions.probe()).toMatchObject({ refusal: null, probedAt: new Date(2) })
})

test.each([
  ['no answer' as const, 'did not answer'],
  ['refused' as const, 'refused'],
])(
  'a store whose probe ended in %s is undecided, unless it had failed a check before',
  async (undecided, words) => {
    const open = [
      { name: 'read after write', ok: false, undecided, detail: 'x' },
      { name: 'absence is definite', ok: false, undecided: 'not reached' as const },
    ]
    const { conditions } = conditionsOf(
      { ok: false, store: 's', checks: open },
      { ok: false, store: 's', checks: [{ name: 'a check', ok: false }, ...open] },
    )
    expect(await conditions.probe()).toMatchObject({
      verdict: 'undecided',
      refusal: `The object store ${words} the check of its conditional writes: read after write.`,
    })
    expect(await conditions.probe()).toMatchObject({
      verdict: 'unfit',
      refusal: 'The object store does not keep conditional writes: a check.',
    })
  },
)

test('probes that are asked for at once are one', async () => {
  const { conditions, count } = conditionsOf(fit)
  const [one, other] = await Promise.all([conditions.probe(), conditions.probe()])
  expect(one).toBe(other)
  expect(count.probes).toBe(1)
})

test('a fit store is not probed again when it is only made sure of, an unfit one is', async () => {
  const { conditions, count } = conditionsOf(unfit, fit)
  expect((await conditions.ensure()).refusal).not.toBeNull()
  expect((await conditions.ensure()).refusal).toBeNull()
  expect((await conditions.ensure()).refusal).toBeNull()
  expect(count.probes).toBe(2)
})
