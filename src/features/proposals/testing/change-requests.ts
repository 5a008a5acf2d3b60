/** Requests for changes of the proposals of component tests. */
import type { ChangeRequestView } from '#contracts/change-request.contract.ts'
import { idOf } from './proposals.ts'

/** Nothing was asked of its agent, which could answer. */
export const noRequest = (): ChangeRequestView => ({
  answerer: { agent: 'librarian', status: 'active', problem: null },
  siblings: 0,
  request: null,
  since_review: null,
})

/** One that was asked of the nth proposal, with a line that was changed since and one that was not. */
export const aRequest = (n: number): NonNullable<ChangeRequestView['request']> => ({
  inbox_id: 'inbox-1',
  proposal_id: idOf(n),
  requested_at: '2026-03-02T09:00:00.000Z',
  note: 'See the journal.',
  comments: [
    { ...at(n, 'proposed', 3), body: 'Why third?', quote: 'Line three of the note.', changed: true },
    { ...at(n, 'base', 25), body: 'Keep it.', quote: 'Line 25 of the note.', changed: false },
  ],
  run_id: 'run_2026-03-02_090000_abcdef',
  run_status: 'completed',
  run_error: null,
  answered_by: null,
})
const at = (n: number, side: 'base' | 'proposed', line: number) => ({
  path: `notes/note-${n}.md`,
  side,
  line,
})
