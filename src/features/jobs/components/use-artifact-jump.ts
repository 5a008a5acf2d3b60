'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { isStillAt } from '#lib/shown-path.ts'

const COMPLETE = jobMachine.events.commit.to

/**
 * Replaces the page of a job by its artifact when the job completes while it is watched. A job that was
 * complete when its page was opened stays, and so does whoever is on the way to another page.
 */
export function useArtifactJump(job: Pick<JobDetail, 'job_id' | 'status' | 'artifact_id'>): void {
  const { job_id, status, artifact_id } = job
  const router = useRouter()
  const [opened] = useState(status)
  useEffect(() => {
    if (opened === COMPLETE || status !== COMPLETE || !artifact_id) return
    if (isStillAt(`/jobs/${job_id}`)) router.replace(`/artifacts/${artifact_id}`)
  }, [opened, job_id, status, artifact_id, router])
}
