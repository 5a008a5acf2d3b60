import { useState } from 'react'
import { expect, it } from 'vitest'
import type { JobState } from '#domain/job/job.machine.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { NavigationLine } from '#ui/navigation-progress.tsx'
import { useArtifactJump } from './use-artifact-jump.ts'

const ARTIFACT = 'art-00000000-0000-4000-8000-000000000001'

/** A watched job whose next state comes with a press. */
function Watched({ states }: { states: readonly JobState[] }) {
  const [at, setAt] = useState(0)
  const status = states[at] ?? 'COMPLETE'
  useArtifactJump({ job_id: '1', status, artifact_id: status === 'COMPLETE' ? ARTIFACT : null })
  return (
    <button type="button" onClick={() => setAt(at + 1)}>
      {status}
    </button>
  )
}

/** The page of the job is opened once the address stands. */
function Console({ states }: { states: readonly JobState[] }) {
  const [open, setOpen] = useState(false)
  return open ? (
    <Watched states={states} />
  ) : (
    <button type="button" onClick={() => setOpen(true)}>
      open
    </button>
  )
}

it.each([
  { states: ['ARTIFACT_WRITE', 'COMPLETE'], to: `/artifacts/${ARTIFACT}` },
  { states: ['QUEUED', 'FAILED'], to: '/jobs/1' },
  { states: ['COMPLETE', 'COMPLETE'], to: '/jobs/1' },
] as const)('after $states the page is $to', async ({ states, to }) => {
  const screen = await renderInConsole(<Console states={states} />, { at: '/jobs/1' })
  await screen.getByRole('button', { name: 'open' }).click()
  await screen.getByRole('button', { name: states[0] }).click()
  await expect.element(screen.getByRole('button', { name: states[1] })).toBeVisible()
  await expect.poll(() => window.location.pathname).toBe(to)
  expect(window.location.pathname).toBe(to)
})

it('leaves alone whoever is on the way to another page when the job completes', async () => {
  const shown = (
    <>
      <Console states={['ARTIFACT_WRITE', 'COMPLETE']} />
      <NavigationLine />
    </>
  )
  const screen = await renderInConsole(shown, { at: '/jobs/1' })
  await screen.getByRole('button', { name: 'open' }).click()
  await screen.getByRole('button', { name: 'ARTIFACT_WRITE' }).click()
  await expect.element(screen.getByRole('button', { name: 'COMPLETE' })).toBeVisible()
  expect(window.location.pathname).toBe('/jobs/1')
})
