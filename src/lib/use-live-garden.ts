'use client'
import type { QueryFilters } from '@tanstack/react-query'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { StreamEvent } from './event-stream.ts'
import { useLive, useReadAgain } from './live.tsx'
import { POLL_MS } from './polling.ts'

const COMMITTED = proposalMachine.events.applied.to

/** A decision over fifty proposals is fifty commits: they are read together. */
const CALM_MS = 2_000

/** A guest is told that notes of the zone changed, and not by what. */
const isCommit = ({ to, resource }: StreamEvent) => to === COMMITTED || resource?.type === 'note'

/** Reads the matching queries again when a commit has changed the garden; what else becomes of a proposal changes no note. */
export function useLiveGarden(filter: QueryFilters): void {
  const readAgain = useReadAgain(filter, CALM_MS)
  useLive(
    ['proposal.status.changed'],
    (event) => {
      if (event === null || isCommit(event)) readAgain()
    },
    POLL_MS.slow,
  )
}
