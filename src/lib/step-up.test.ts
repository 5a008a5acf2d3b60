import { expect, test } from 'vitest'
import { isStepUpAsked, settleStepUp, subscribeStepUp, withStepUp } from './step-up.ts'

const refusal = (code: string) => ({ error: { code, message: '', details: null, retryable: true } })

/** Work that is refused with this code until the password was given. */
function guardedWork(code = 'STEP_UP_REQUIRED') {
  const state = { given: false, calls: 0 }
  const work = async () => {
    state.calls += 1
    if (!state.given) throw refusal(code)
    return 'done'
  }
  return { state, work }
}

test('a refusal for want of a fresh password is asked about and the work is repeated', async () => {
  const { state, work } = guardedWork()
  const off = subscribeStepUp(() => {
    if (!isStepUpAsked()) return
    state.given = true
    settleStepUp(true)
  })
  expect(await withStepUp(work)).toBe('done')
  expect(state.calls).toBe(2)
  off()
})

test('two that ask at once share one question', async () => {
  const { state, work } = guardedWork()
  let questions = 0
  const off = subscribeStepUp(() => {
    if (isStepUpAsked()) questions += 1
  })
  const both = Promise.all([withStepUp(work), withStepUp(work)])
  await Promise.resolve()
  await Promise.resolve()
  state.given = true
  settleStepUp(true)
  expect(await both).toEqual(['done', 'done'])
  expect(questions).toBe(1)
  off()
})

test('declined, and where nobody can ask, the refusal stands and nothing is repeated', async () => {
  const { state, work } = guardedWork()
  const off = subscribeStepUp(() => isStepUpAsked() && settleStepUp(false))
  await expect(withStepUp(work)).rejects.toEqual(refusal('STEP_UP_REQUIRED'))
  off()
  await expect(withStepUp(work)).rejects.toEqual(refusal('STEP_UP_REQUIRED'))
  expect(state.calls).toBe(2)
})

test('another refusal asks nothing', async () => {
  const { state, work } = guardedWork('FORBIDDEN')
  const off = subscribeStepUp(() => expect.unreachable())
  await expect(withStepUp(work)).rejects.toEqual(refusal('FORBIDDEN'))
  expect(state.calls).toBe(1)
  off()
})
