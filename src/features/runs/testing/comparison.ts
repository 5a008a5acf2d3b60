import type { RunComparison } from '#contracts/run-comparison.contract.ts'

export const LEFT = 'run_2026-03-01_090000_aaaaaa'
export const RIGHT = 'run_2026-03-02_090000_bbbbbb'

const side = (run_id: string, at: string): RunComparison['a'] => ({
  run_id,
  status: 'completed',
  agent_slug: 'librarian',
  agent_version: '1.0.0',
  trigger: 'manual',
  title: 'What keeps slugs away?',
  replay_of: null,
  from_step: null,
  requested_at: at,
  started_at: at,
  finished_at: at,
  definition_sha256: 'a'.repeat(64),
  tokens: { context: 120, input: 40, output: 8 },
})

const output = (summary: string) => ({ summary, grounding: { claims: 1 } })
const NAMES = ['load-context', 'execute-agent', 'persist-results', 'finalize']

/** Two runs of one agent that were asked the same and answered otherwise. */
export const aComparison = (a = LEFT, b = RIGHT): RunComparison => ({
  a: side(a, '2026-03-01T09:00:00.000Z'),
  b: side(b, '2026-03-02T09:00:00.000Z'),
  params: [{ name: 'question', state: 'same', a: 'What keeps slugs away?', b: 'What keeps slugs away?' }],
  context: [
    { part: 'source', name: 'Beds/North.md', state: 'same', tokens: { a: 20, b: 20 } },
    { part: 'fragment', name: `Beds/${'long'.repeat(30)}.md`, state: 'right', tokens: { a: null, b: 9 } },
  ],
  steps: NAMES.map((name, i) => {
    const differs = i === 1
    const of = (summary: string) => ({
      status: 'completed' as const,
      duration_ms: 1_200,
      executed_by_run: null,
      output_digest: summary,
      compared: output(differs ? summary : 'Done.'),
    })
    return {
      step: i + 1,
      name,
      a: of('Copper tape.'),
      b: of('Copper tape and beer traps.'),
      first_difference: differs
        ? { path: 'summary', a: 'Copper tape.', b: 'Copper tape and beer traps.' }
        : null,
    }
  }),
  proposals: [
    {
      state: 'changed',
      a: aDraft('Copper tape.\n', 'prop_2026-03-01_aaaaaaaaaaaa', null),
      b: aDraft('Copper tape and beer traps.\n', null, 'DUPLICATE_ENTRY'),
    },
  ],
  first_difference: {
    part: 'step',
    step: 2,
    path: 'summary',
    a: 'Copper tape.',
    b: 'Copper tape and beer traps.',
  },
})

const aDraft = (text: string, proposal_id: string | null, refused: string | null) => ({
  target: 'notes/Answers/Slugs.md',
  digest: text,
  action: 'propose-note',
  summary: 'A note on slugs',
  text,
  proposal_id,
  refused,
})
