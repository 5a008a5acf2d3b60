import { Fragment, type ReactNode } from 'react'
import { cx } from './cx.ts'
import { Link } from './link.tsx'
import { TONE_EDGE, TONE_SOFT, TONE_TEXT, type Tone } from './tone.ts'

export type StepperState = {
  id: string
  label: ReactNode
  tone: Tone
  /** How many are in this state now, already formatted. */
  count?: string
  /** Where the list of these is. */
  href?: string
  /** That list is what the page shows. */
  shown?: boolean
}

type Props = {
  label: string
  /** The states of the normal path, in order. */
  main: readonly StepperState[]
  /** The states off that path: retrying, failed, dead. */
  side?: readonly StepperState[]
  /** The state the object is in. */
  current?: string
  /** The states it has been through. */
  passed?: readonly string[]
  currentWord?: string
}

/** A state machine as a stepper: one object with its current state marked, or all objects with counts. */
export function StateStepper({ label, main, side = [], current, passed = [], currentWord }: Props) {
  const draw = (state: StepperState) => (
    <Stop
      state={state}
      current={state.id === current}
      passed={passed.includes(state.id)}
      dim={current !== undefined}
      currentWord={currentWord}
    />
  )
  return (
    <nav aria-label={label} className="pb-1">
      <ol className="flex flex-wrap items-center gap-2 md:gap-x-0">
        {main.map((state, i) => (
          <Fragment key={state.id}>
            {i > 0 ? (
              <li
                aria-hidden
                className={cx(
                  'h-px w-6 shrink-0 max-md:hidden',
                  passed.includes(state.id) || state.id === current ? 'bg-done' : 'bg-line-strong/60',
                )}
              />
            ) : null}
            <li>{draw(state)}</li>
          </Fragment>
        ))}
      </ol>
      {side.length > 0 ? (
        <ol className="mt-2 flex flex-wrap items-center gap-2">
          {side.map((state) => (
            <li key={state.id}>{draw(state)}</li>
          ))}
        </ol>
      ) : null}
    </nav>
  )
}

type StopProps = {
  state: StepperState
  current: boolean
  passed: boolean
  dim: boolean
  currentWord: string | undefined
}

function Stop({ state, current, passed, dim, currentWord }: StopProps) {
  const occupied = state.count !== undefined && state.count !== '0'
  const body = (
    <span
      aria-current={current ? 'step' : state.shown ? 'true' : undefined}
      className={cx(
        'inline-flex h-7 items-center gap-1.5 whitespace-nowrap rounded-full border px-2.5 text-sm',
        (current || state.shown) && cx(TONE_SOFT[state.tone], TONE_EDGE[state.tone], 'font-medium'),
        !current && !state.shown && passed && 'border-done/50 text-ink-2',
        !current &&
          !state.shown &&
          !passed &&
          (dim
            ? 'border-dashed border-line-strong/60 text-ink-3'
            : cx('border-line', occupied ? TONE_TEXT[state.tone] : 'text-ink-3')),
      )}
    >
      {state.label}
      {state.count === undefined ? null : <b className="tabular font-semibold">{state.count}</b>}
      {current && currentWord ? <span className="sr-only">({currentWord})</span> : null}
    </span>
  )
  return state.href ? (
    <Link quiet href={state.href} className="rounded-full no-underline hover:bg-hover hover:no-underline">
      {body}
    </Link>
  ) : (
    body
  )
}
