import type { Mutant } from './mutant.ts'

const QUESTIONS = { test: 'server/questions/questions.test.ts' }
const ONCE = { ...QUESTIONS, name: 'a question parks its run over a restart, and its answer resumes it once' }

/** Questions of runs (I-Q of server/questions/README.md). */
export const questionMutants: readonly Mutant[] = [
  {
    ...QUESTIONS,
    invariant: 'I-Q1',
    breaks: 'an answer counts that comes after the end of its question',
    file: 'server/questions/answer-question.ts',
    from: ' AND o.expires_at > clock_timestamp()',
    to: '',
    name: 'is answered by its default, and the audit says so',
  },
  {
    ...ONCE,
    invariant: 'I-Q3',
    breaks: 'the time of a run goes on while it waits for a person',
    file: 'server/runs/run-limits.ts',
    from: ' + parked_ms::float8 / 1000',
    to: '',
  },
  {
    ...QUESTIONS,
    invariant: 'I-Q3',
    breaks: 'runs that came later pass by an answered one',
    file: 'server/runs/enqueue-runs.ts',
    from: 'q.agent_slug AND ${RELEASABLE})',
    to: 'q.agent_slug AND false AND ${RELEASABLE})',
    name: 'an answered run goes before the queue of its agent, whoever starts runs',
  },
  {
    ...QUESTIONS,
    invariant: 'I-Q4',
    breaks: 'a question outlives its run',
    file: 'server/runs/cancel-parked.ts',
    from: '  await withdrawQuestions(tx, run_id, caller)\n',
    to: '',
    name: 'a parked run is cancelled at once, with its question',
  },
]
