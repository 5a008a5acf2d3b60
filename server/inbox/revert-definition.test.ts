import { describe, expect, test } from 'vitest'
import { applyDiff } from '#server/garden/apply-diff.ts'
import { revertDefinition } from './revert-definition.ts'

const PATH = 'agents/scout/_agent.md'
type Parts = { version?: string; day?: string; name?: string; last?: string }
const text = ({ version = '1.0.0', day = '2026-01-01', name = 'Scout', last = 'Look.' }: Parts = {}) =>
  `---\n${version && `version: ${version}\n`}updated_at: ${day}\nname: ${name}\n---\n\nWalk.\nStop.\nWait.\n${last}\n`

/** The definition of now with the revert of an edit applied, the code of its refusal, or null where there is none. */
function reverted(before: Parts, after: Parts, now: Parts) {
  const draft = revertDefinition(PATH, { before: text(before), after: text(after), now: text(now) })
  if (!draft?.ok) return draft?.refusal.code ?? null
  const result = applyDiff(text(now), draft.value.diff)
  return result.ok ? result.value : result.refusal.code
}

const SECOND = { version: '1.1.0', day: '2026-01-02', name: 'Ranger' }

describe('the revert of an edit of a definition', () => {
  test('brings the old content back under the next version', () => {
    expect(reverted({}, SECOND, SECOND)).toBe(text({ version: '1.2.0', day: '2026-01-02' }))
  })

  test('keeps later edits, also where their version stands beside its lines', () => {
    const now = { ...SECOND, version: '1.4.2', day: '2026-01-05', last: 'Look twice.' }
    expect(reverted({}, SECOND, now)).toBe(text({ version: '1.5.0', day: '2026-01-05', last: 'Look twice.' }))
  })

  test('is refused where a later edit changed the same lines', () => {
    expect(reverted({}, SECOND, { ...SECOND, version: '1.2.0', name: 'Warden' })).toBe('DIFF_INVALID')
  })

  test('is none where the edit changed its version alone, or there is no version', () => {
    expect(reverted({}, { version: '1.1.0' }, { version: '1.1.0' })).toBeNull()
    expect(reverted({ version: '' }, { ...SECOND, version: '' }, { ...SECOND, version: '' })).toBeNull()
  })
})
