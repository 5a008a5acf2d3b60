import { describe, expect, it } from 'vitest'
import { withCommit } from './commit-wins.rules.ts'

describe('a commit on the branch', () => {
  const failed = { status: 'FAILED', git_commit: null, error: { code: 'timeout' } }
  const applied = { status: 'APPLIED', git_commit: 'c1', error: null }

  it('makes its proposal applied, whatever the history says', () => {
    expect(withCommit(failed, ['c1'])).toEqual(applied)
    expect(withCommit({ ...applied, git_commit: 'other' }, ['c1'])).toEqual(applied)
  })

  it('changes nothing where it is known, or where there is none', () => {
    expect(withCommit(applied, ['c1'])).toBe(applied)
    expect(withCommit(failed, [])).toBe(failed)
  })
})
