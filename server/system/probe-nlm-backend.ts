import type { Env } from '#server/env.ts'
import type { Finding } from './probe-health.ts'

const TIMEOUT_MS = 5_000
const FINDINGS: Record<string, Finding> = {
  ok: { status: 'healthy', message: null },
  starting: { status: 'degraded', message: 'nlm_starting: The NotebookLM Backend is starting.' },
  degraded: {
    status: 'degraded',
    message: 'nlm_dependency: The NotebookLM Backend runs, but something it depends on does not answer.',
  },
}

/** The health that the NotebookLM Backend reports; throws when it does not answer, which the probe records as unavailable. */
export async function probeNlmBackend(env: Pick<Env, 'NLM_URL'>): Promise<Finding> {
  const answer = await fetch(`${env.NLM_URL}/health`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new Error('nlm_silent: The NotebookLM Backend does not answer.')
  })
  const { status } = (await answer.json()) as { status?: string }
  return (
    FINDINGS[status ?? ''] ?? {
      status: 'unavailable',
      message: `nlm_silent: The NotebookLM Backend answered ${answer.status}.`,
    }
  )
}
