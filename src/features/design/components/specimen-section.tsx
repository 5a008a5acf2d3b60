'use client'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import type { Specimen, SpecimenState } from '../specimen.ts'

/** A component with its states, one below the other. */
export function SpecimenSection({ specimen }: { specimen: Specimen }) {
  return (
    <section id={specimen.name} aria-label={specimen.name} className="mt-12">
      <h2 className="mb-3 text-lg font-semibold">{specimen.name}</h2>
      {specimen.states.map((state) => (
        <div key={state.name} className="mb-6">
          <h3 className="mb-1.5 text-sm text-ink-3">{state.name}</h3>
          <div className="grid gap-3 rounded border border-line p-4">
            {state.modal ? <OnDemand state={state} /> : <state.Show />}
          </div>
        </div>
      ))}
    </section>
  )
}

/** What would cover the page is mounted anew at every press. */
function OnDemand({ state }: { state: SpecimenState }) {
  const [times, setTimes] = useState(0)
  return (
    <div>
      <Button onClick={() => setTimes(times + 1)}>Open</Button>
      {times > 0 ? <state.Show key={times} /> : null}
    </div>
  )
}
