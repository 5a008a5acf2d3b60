'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'

const COMPLETE = jobMachine.events.commit.to

/**
 * Replaces the page of a job by its artifact when the job completes while it is watched. A job that was
 * complete when its page was opened stays.
 */
export function useArtifactJump({ status, artifact_id }: Pick<JobDetail, 'status' | 'artifact_id'>): void {
  const router = useRouter()
  const [opened] = useState(status)
  useEffect(() => {
    if (opened !== COMPLETE && status === COMPLETE && artifact_id) router.replace(`/artifacts/${artifact_id}`)
  }, [opened, status, artifact_id, router])
}
