'use client'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useState } from 'react'
import type { SourceNow } from '#contracts/artifact.contract.ts'
import type { ArtifactSource } from '#contracts/research.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { SourcePanel } from './source-panel.tsx'

/** A cited place with its number; `now` is what became of it, once that is known. */
export type NumberedSource = ArtifactSource & { n: number; now: SourceNow | undefined }

type Opened = { n: number; anchor: HTMLElement }
type Sources = {
  all: readonly NumberedSource[]
  /** The number of the one that is open. */
  open: number | null
  /** Opens the panel of a source beside what was pressed, or closes the one that is open there. */
  toggle: (n: number, anchor: HTMLElement) => void
}

const Context = createContext<Sources>({ all: [], open: null, toggle: () => undefined })
export const useSources = (): Sources => useContext(Context)

type Props = { artifact: string; sources: readonly ArtifactSource[]; children: ReactNode }

/** The sources of an artifact for everything below that cites them, with the one panel that shows the one that is open. */
export function SourcesProvider({ artifact, sources, children }: Props) {
  const trpc = useTRPC()
  const input = { artifact_id: artifact }
  const now = useQuery(trpc.artifacts.sources.queryOptions(input)).data
  useLiveQueries(['proposal.status.changed'], trpc.artifacts.sources.queryFilter(input), POLL_MS.slow)
  const [opened, setOpened] = useState<Opened | null>(null)
  const all = sources.map((source, i): NumberedSource => ({ ...source, n: i + 1, now: now?.sources[i] }))
  const toggle = (n: number, anchor: HTMLElement) =>
    setOpened((was) => (was?.anchor === anchor ? null : { n, anchor }))
  const shown = all.find(({ n }) => n === opened?.n)
  return (
    <Context value={{ all, open: opened?.n ?? null, toggle }}>
      {children}
      {opened && shown ? (
        <SourcePanel
          key={shown.n}
          source={shown}
          anchor={opened.anchor}
          onClose={() => setOpened((was) => (was === opened ? null : was))}
        />
      ) : null}
    </Context>
  )
}
