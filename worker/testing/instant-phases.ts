import { setTimeout as pause } from 'node:timers/promises'
import { storeArtifact } from '#server/artifacts/write-artifact.ts'
import type { Services } from '#server/services.ts'
import type { JobPhases } from '#worker/handlers/job-phases.ts'

export const PHASES = ['assemble', 'call', 'write'] as const
export type Phase = (typeof PHASES)[number]

export type InstantOptions = {
  /** Called when a phase begins. */
  onPhase?: (phase: Phase, jobId: string) => void | Promise<void>
  /** Each phase takes up to so many milliseconds; at once by default. */
  upToMs?: number
  /** Where artifacts are really put; nowhere by default. */
  stored?: Pick<Services, 'db' | 'store'>
}

const SHA = 'c'.repeat(64)

/** Phases that return at once: what remains of a job is the queue itself. */
export function instantPhases({ onPhase, upToMs = 0, stored }: InstantOptions = {}): JobPhases {
  const enter = async (phase: Phase, jobId: string) => {
    await onPhase?.(phase, jobId)
    if (upToMs > 0) await pause(Math.random() * upToMs)
  }
  return {
    assemble: async (job) => {
      await enter('assemble', job.job_id)
      return { key: `contexts/sha256/${SHA}.json`, sha256: SHA }
    },
    call: async (job) => {
      await enter('call', job.job_id)
      return { kind: 'answered', submission: submissionOf(job.job_id) }
    },
    write: async (artifact) => {
      await enter('write', artifact.artifact_id)
      if (stored) await storeArtifact(stored, artifact)
    },
  }
}

const submissionOf = (job_id: string) => ({
  job_id,
  type: 'RESEARCH_BRIEF' as const,
  content: {
    title: 'An answer',
    summary: 'Short.',
    sections: [{ heading: 'One', body: 'A sentence.', sources: ['notes/one.md'] }],
    conclusions: [],
    open_questions: [],
  },
  sources: [{ ref: 'notes/one.md', lines: { from: 1, to: 1 }, excerpt: 'A sentence.', revision: 'r1' }],
  entity_refs: [],
  tags: [],
  grounding: { status: 'grounded' as const, claims: 1, grounded_claims: 1 },
  engine: { id: 'instant', model: null, version: '1' },
})
