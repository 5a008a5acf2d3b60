'use client'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { cx } from '#ui/cx.ts'
import type { Specimen, SpecimenState } from '../specimen.ts'

export type Scheme = 'light' | 'dark'

const SCHEME: Record<Scheme, string> = { light: 'scheme-light', dark: 'scheme-dark' }

/** A component with its states, each in every scheme that is asked for. */
export function SpecimenSection({ specimen, schemes }: { specimen: Specimen; schemes: readonly Scheme[] }) {
  return (
    <section id={specimen.name} aria-label={specimen.name} className="mt-12">
      <h2 className="mb-3 text-lg font-semibold">{specimen.name}</h2>
      {specimen.states.map((state) => (
        <div key={state.name} className="mb-6">
          <h3 className="mb-1.5 text-sm text-ink-3">{state.name}</h3>
          <div className={cx('grid gap-3', schemes.length > 1 && 'lg:grid-cols-2')}>
            {schemes.map((scheme) => (
              <div
                key={scheme}
                className={cx(
                  SCHEME[scheme],
                  'grid min-w-0 content-start gap-3 rounded border border-line bg-canvas p-4 text-ink',
                )}
              >
                {state.modal ? <OnDemand state={state} /> : <state.Show />}
              </div>
            ))}
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
