import type { RuleSubject } from '../rule-subject.ts'

/** A small edit by an agent, which no floor keeps back. */
export const SUBJECT: RuleSubject = {
  action: 'propose-edit',
  agent: 'gardener',
  priority: 'normal',
  source: { type: 'agent', identity: 'agent:gardener' },
  tainted: false,
  target: { type: 'note', path: 'notes/Log/May.md' },
  changes: [{ path: 'Log/May.md', type: 'append', additions: 3, deletions: 0 }],
  successor: false,
}

export const change = (path: string, type = 'replace') => ({ path, type, additions: 1, deletions: 1 })
