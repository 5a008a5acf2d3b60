import type { Env } from '#server/env.ts'
import type { Finding } from './probe-health.ts'

const LIMIT_MS = 5_000
const WORDS: Record<string, Finding> = {
  ok: { status: 'healthy', message: null },
  starting: { status: 'degraded', message: 'It is starting.' },
  degraded: { status: 'degraded', message: 'It works, but not everything it needs answers.' },
}

/** What the NotebookLM Backend says of itself (page 04, section 1.1); no answer throws, and the probe calls it unavailable. */
export async function nlmHealth(env: Pick<Env, 'NLM_URL'>): Promise<Finding> {
  const answer = await fetch(`${env.NLM_URL}/health`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(LIMIT_MS),
  }).catch(() => {
    throw new Error('It does not answer.')
  })
  const { status } = (await answer.json()) as { status?: string }
  return WORDS[status ?? ''] ?? { status: 'unavailable', message: `It answered ${answer.status}.` }
}
